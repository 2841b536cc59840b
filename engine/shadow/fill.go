package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"forge/engine/gitdir"
)

// maxSingly is the number of files up to which they are read from the shadow repository and written one
// by one. git writes larger sets itself, which requires an index of the commit.
const maxSingly = 64

// fill writes missing files of a commit into a tree, and records their stamps.
func (r *replica) fill(ctx context.Context, want gitdir.Listing, missing []string) error {
	write := r.fillSingly
	if len(missing) > maxSingly {
		write = r.fillMany
	}
	if err := write(ctx, want, missing); err != nil {
		return err
	}
	stamps := make(map[string]gitdir.Stamp, len(missing))
	for _, name := range missing {
		info, err := os.Lstat(r.at(name))
		if err != nil {
			return err
		}
		stamps[name] = gitdir.StampOf(info)
	}
	now, err := r.settle(ctx, stamps)
	if err != nil {
		return err
	}
	for name, s := range stamps {
		if !s.Settled(now) {
			s = gitdir.Stamp{}
		}
		r.known.files[name] = held{want[name], s}
	}
	return nil
}

// fillMany writes the files with git.
func (r *replica) fillMany(ctx context.Context, want gitdir.Listing, missing []string) error {
	if err := r.index(ctx); err != nil {
		return err
	}
	c := gitdir.Command{Args: []string{"checkout-index", "--force", "--quiet"}, Tree: r.root(), Index: r.indexFile()}
	if len(missing) == len(want) {
		c.Args = append(c.Args, "--all")
	} else {
		c.Args, c.Stdin = append(c.Args, "-z", "--stdin"), gitdir.Joined(missing)
	}
	_, err := r.dir.Run(ctx, c)
	return err
}

// fillSingly writes a few files. Their folders are real ones: prove has removed everything else.
func (r *replica) fillSingly(ctx context.Context, want gitdir.Listing, missing []string) error {
	var ids []string
	for _, name := range missing {
		ids = append(ids, want[name].ID)
	}
	slices.Sort(ids)
	contents, err := r.dir.Objects(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(r.root())
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // every file in it is closed
	for _, name := range missing {
		if err := writeLeaf(root, name, want[name], contents[want[name].ID]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func writeLeaf(root *os.Root, name string, l gitdir.Leaf, content []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	switch l.Mode {
	case gitdir.LinkMode:
		return root.Symlink(string(content), name)
	case gitdir.ProgramMode:
		mode = 0o777
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// maxTicks limits how long settle waits for the clock of the file system, in milliseconds. Some clocks tick
// once in one or two seconds; there the last files are not verified and are written again next time.
const maxTicks = 20

// settle waits until the clock of the file system is later than the last of the stamps, and returns its time.
func (r *replica) settle(ctx context.Context, stamps map[string]gitdir.Stamp) (now int64, err error) {
	var last int64
	for _, s := range stamps {
		last = max(last, s.Changed)
	}
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for range maxTicks {
		if now, err = r.clock(); err != nil || now > last {
			return now, err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return now, ctx.Err()
		}
	}
	return now, nil
}

// clock returns the file system's time: that of a file written now.
func (r *replica) clock() (int64, error) {
	name := filepath.Join(r.home, "clock")
	if err := os.WriteFile(name, []byte("tick"), 0o600); err != nil {
		return 0, err
	}
	info, err := os.Lstat(name)
	if err != nil {
		return 0, err
	}
	return gitdir.StampOf(info).Changed, nil
}

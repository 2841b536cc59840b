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

	"forge/internal/failpoint"
)

// maxSingly is up to how many files are read out of the shadow repository and written one by one. More of
// them git writes itself, for which it needs an index of the commit.
const maxSingly = 64

// bring makes the tree hold a commit, byte for byte, whatever is in it: what is not proven to be a file of the
// commit is removed, what is missing then is written. Nothing is compared: bytes that nobody vouches for are not
// worth reading.
func (t *Tree) bring(ctx context.Context, commit string) error {
	want, err := t.repo.listing(ctx, commit, t.known.commit, t.known.listing())
	if err != nil {
		return err
	}
	files, err := t.prove(want)
	if err != nil {
		return err
	}
	t.known = manifest{commit: commit, files: files}
	failpoint.Hit(failTreeProven)
	var missing []string
	for name, h := range files {
		if h.stamp == (stamp{}) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		if err := t.fill(ctx, want, missing); err != nil {
			return err
		}
	}
	failpoint.Hit(failTreeFilled)
	return t.borrow()
}

// prove removes from the tree everything but the files of want that it is known to hold. It gives the files of
// want; those that are not there now have no stamp. Folders that want has stay, and get back the mode that they
// were made with.
func (t *Tree) prove(want listing) (map[string]held, error) {
	if info, err := os.Lstat(t.Dir()); err != nil || !info.IsDir() {
		// Gone, or a link to who knows where: nothing below it is touched.
		if err := os.RemoveAll(t.Dir()); err != nil {
			return nil, err
		}
		return unproven(want), os.Mkdir(t.Dir(), 0o700)
	}
	made, err := t.folderMode()
	if err != nil {
		return nil, err
	}
	p := prover{root: t.Dir(), known: t.known.files, want: want, folders: want.folders(), mode: made}
	if err := restoreMode(t.Dir(), 0o700); err != nil {
		return nil, err
	}
	err = p.walk()
	return p.files, err
}

// folderMode is the mode that folders of this tree get: that of one that was made with it and is never changed.
func (t *Tree) folderMode() (fs.FileMode, error) {
	probe := filepath.Join(t.home, "folder")
	if err := os.Mkdir(probe, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // as tools make them
		return 0, err
	}
	info, err := os.Lstat(probe)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// fill writes files of a commit into a tree that has nothing in their places, and notes their stamps.
func (t *Tree) fill(ctx context.Context, want listing, missing []string) error {
	write := t.fillSingly
	if len(missing) > maxSingly {
		write = t.fillMany
	}
	if err := write(ctx, want, missing); err != nil {
		return err
	}
	stamps := make(map[string]stamp, len(missing))
	for _, name := range missing {
		info, err := os.Lstat(filepath.Join(t.Dir(), filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		stamps[name] = stampOf(info)
	}
	now, err := t.settle(ctx, stamps)
	if err != nil {
		return err
	}
	for name, s := range stamps {
		if !s.settled(now) {
			s = stamp{}
		}
		t.known.files[name] = held{want[name], s}
	}
	return nil
}

// fillMany has git write the files.
func (t *Tree) fillMany(ctx context.Context, want listing, missing []string) error {
	if err := t.index(ctx); err != nil {
		return err
	}
	if len(missing) == len(want) {
		_, err := t.run(ctx, "checkout-index", "--all", "--force", "--quiet")
		return err
	}
	_, err := t.repo.run(ctx, command{
		args: []string{"checkout-index", "--force", "--quiet", "-z", "--stdin"}, tree: t.Dir(), index: t.indexFile(), stdin: joined(missing),
	})
	return err
}

// index makes the tree's own index that of the commit it was brought to. Most trees never need one.
func (t *Tree) index(ctx context.Context) error {
	if err := dropOdd(t.Dir()); err != nil {
		return err
	}
	if t.indexed == t.known.commit {
		return nil
	}
	for _, name := range []string{t.indexFile(), t.indexFile() + ".lock"} { // a git that was cancelled leaves its lock
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := t.run(ctx, "read-tree", t.known.commit); err != nil {
		return err
	}
	t.indexed = t.known.commit
	return nil
}

// fillSingly writes a few files. Their folders are real ones: prove removed whatever else was there.
func (t *Tree) fillSingly(ctx context.Context, want listing, missing []string) error {
	var ids []string
	for _, name := range missing {
		ids = append(ids, want[name].id)
	}
	slices.Sort(ids)
	contents, err := t.repo.objects(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(t.Dir())
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // every file in it was closed
	for _, name := range missing {
		if err := writeLeaf(root, name, want[name], contents[want[name].id]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func writeLeaf(root *os.Root, name string, l leaf, content []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	switch l.mode {
	case linkMode:
		return root.Symlink(string(content), name)
	case programMode:
		mode = 0o777
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// maxTicks bounds how long settle waits for the clock of the file system, in milliseconds. Some tick once in
// one or two seconds; there the last files written prove nothing and are written again next time.
const maxTicks = 20

// settle waits until the clock of the file system has gone on since the last of the stamps, and gives its time.
func (t *Tree) settle(ctx context.Context, stamps map[string]stamp) (now int64, err error) {
	var last int64
	for _, s := range stamps {
		last = max(last, s.Changed)
	}
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for range maxTicks {
		if now, err = t.clock(); err != nil || now > last {
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

// clock asks the file system what time it is: that of a file written now.
func (t *Tree) clock() (int64, error) {
	name := filepath.Join(t.home, "clock")
	if err := os.WriteFile(name, []byte("tick"), 0o600); err != nil {
		return 0, err
	}
	info, err := os.Lstat(name)
	if err != nil {
		return 0, err
	}
	return stampOf(info).Changed, nil
}

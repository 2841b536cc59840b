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
	"forge/internal/failpoint"
)

// workFolder is the folder of a tree with the files.
const workFolder = "work"

// replica is a folder with the files of a commit, and knows which of them are unchanged. Tools may change it freely.
type replica struct {
	dir     *gitdir.Dir
	home    string   // of the tree: it contains the folder, and related files
	known   manifest // the last commit of the folder, and the known state of its files
	indexed bool     // whether an index of that commit exists next to the folder
}

func (r *replica) root() string { return filepath.Join(r.home, workFolder) }

func (r *replica) at(name string) string { return filepath.Join(r.root(), filepath.FromSlash(name)) }

func (r *replica) indexFile() string { return filepath.Join(r.home, "index") }

// bring makes the folder contain exactly a commit: it removes everything that is not verified to be a file of
// the commit, and writes what is missing. It does not compare contents: unverified bytes are not worth reading.
func (r *replica) bring(ctx context.Context, commit string) error {
	want, err := r.dir.Listing(ctx, commit, r.known.commit, r.known.listing())
	if err != nil {
		return err
	}
	files, err := r.prove(want)
	if err != nil {
		return err
	}
	if commit != r.known.commit {
		r.indexed = false
	}
	r.known = manifest{commit: commit, files: files}
	failpoint.Hit(failTreeProven)
	var missing []string
	for name, h := range files {
		if h.stamp == (gitdir.Stamp{}) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		if err := r.fill(ctx, want, missing); err != nil {
			return err
		}
	}
	failpoint.Hit(failTreeFilled)
	return nil
}

// prove removes everything from the folder but the verified files of want. It returns the files of want; missing
// ones have no stamp. Folders of want stay, with their original mode.
func (r *replica) prove(want gitdir.Listing) (map[string]held, error) {
	if info, err := os.Lstat(r.root()); err != nil || !info.IsDir() {
		// Deleted, or a link to an unknown place: nothing below it is touched.
		if err := os.RemoveAll(r.root()); err != nil {
			return nil, err
		}
		return unproven(want), os.Mkdir(r.root(), 0o700)
	}
	made, err := r.folderMode()
	if err != nil {
		return nil, err
	}
	p := prover{root: r.root(), known: r.known.files, want: want, folders: want.Folders(), mode: made}
	if err := restoreMode(r.root(), 0o700); err != nil {
		return nil, err
	}
	err = p.walk()
	return p.files, err
}

// clean removes everything from the folder that is not verified to be of its commit.
func (r *replica) clean() (err error) {
	r.known.files, err = r.prove(r.known.listing())
	return err
}

// untouched reports whether a file of the commit is unchanged since it was written.
func (r *replica) untouched(name string) bool {
	h, ok := r.known.files[name]
	if !ok || h.stamp == (gitdir.Stamp{}) {
		return false
	}
	info, err := os.Lstat(r.at(name))
	return err == nil && gitdir.StampOf(info) == h.stamp
}

// folderMode returns the mode of this tree's folders: that of a folder that was created with it and never changes.
func (r *replica) folderMode() (fs.FileMode, error) {
	probe := filepath.Join(r.home, "folder")
	if err := os.Mkdir(probe, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // as tools create them
		return 0, err
	}
	info, err := os.Lstat(probe)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// index creates the index next to the folder. Most trees never need one.
func (r *replica) index(ctx context.Context) error {
	if err := dropOdd(r.root()); err != nil {
		return err
	}
	if r.indexed {
		return nil
	}
	for _, name := range []string{r.indexFile(), r.indexFile() + ".lock"} { // a cancelled git leaves its lock
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err := r.dir.Run(ctx, gitdir.Command{Args: []string{"read-tree", r.known.commit}, Tree: r.root(), Index: r.indexFile()})
	r.indexed = err == nil
	return err
}

// dropOdd removes ignore files from a scratch tree that code of the tree replaced by something else: nothing stores them,
// and git would open them.
func dropOdd(top string) error {
	var errs []error
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		base := filepath.Base(name)
		if err != nil || e.IsDir() || base != ".gitignore" && base != ".gitattributes" {
			return nil //nolint:nilerr // git cannot read an unreadable folder either
		}
		if info, err := e.Info(); err == nil && (!isLeaf(info) || info.Size() > MaxFileSize) {
			errs = append(errs, os.Remove(name))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}

// isLeaf reports whether git stores a file of this kind.
func isLeaf(info os.FileInfo) bool { return info.Mode().IsRegular() || info.Mode()&os.ModeSymlink != 0 }

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

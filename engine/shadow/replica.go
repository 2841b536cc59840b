package shadow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"forge/engine/gitdir"
	"forge/internal/failpoint"
)

// workFolder is the folder of a tree that holds the files.
const workFolder = "work"

// replica is a folder that holds the files of a commit, and knows of each file whether it still does. Tools change it as they like.
type replica struct {
	dir     *gitdir.Dir
	home    string   // of the tree: the folder is in it, and what is needed beside it
	known   manifest // the commit that the folder was brought to last, and what is known of its files since
	indexed bool     // whether there is an index of that commit beside the folder
}

func (r *replica) root() string { return filepath.Join(r.home, workFolder) }

func (r *replica) at(name string) string { return filepath.Join(r.root(), filepath.FromSlash(name)) }

func (r *replica) indexFile() string { return filepath.Join(r.home, "index") }

// bring makes the folder hold a commit, byte for byte, whatever is in it: what is not proven to be a file of the
// commit is removed, what is missing then is written. Nothing is compared: bytes that nobody vouches for are not
// worth reading.
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

// prove removes from the folder everything but the files of want that it is known to hold. It gives the files of
// want; those that are not there now have no stamp. Folders that want has stay, and get back the mode that they
// were made with.
func (r *replica) prove(want gitdir.Listing) (map[string]held, error) {
	if info, err := os.Lstat(r.root()); err != nil || !info.IsDir() {
		// Gone, or a link to who knows where: nothing below it is touched.
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

// clean removes from the folder whatever is not known to be of its commit.
func (r *replica) clean() (err error) {
	r.known.files, err = r.prove(r.known.listing())
	return err
}

// untouched reports whether a file of the commit is still the one that was written.
func (r *replica) untouched(name string) bool {
	h, ok := r.known.files[name]
	if !ok || h.stamp == (gitdir.Stamp{}) {
		return false
	}
	info, err := os.Lstat(r.at(name))
	return err == nil && gitdir.StampOf(info) == h.stamp
}

// folderMode is the mode that folders of this tree get: that of one that was made with it and is never changed.
func (r *replica) folderMode() (fs.FileMode, error) {
	probe := filepath.Join(r.home, "folder")
	if err := os.Mkdir(probe, 0o777); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // as tools make them
		return 0, err
	}
	info, err := os.Lstat(probe)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// index makes the index beside the folder. Most trees never need one.
func (r *replica) index(ctx context.Context) error {
	if err := dropOdd(r.root()); err != nil {
		return err
	}
	if r.indexed {
		return nil
	}
	for _, name := range []string{r.indexFile(), r.indexFile() + ".lock"} { // a git that was cancelled leaves its lock
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err := r.dir.Run(ctx, gitdir.Command{Args: []string{"read-tree", r.known.commit}, Tree: r.root(), Index: r.indexFile()})
	r.indexed = err == nil
	return err
}

// dropOdd removes from a scratch tree the files of rules that code of the tree put there as something else: nothing keeps
// them, and git would open them.
func dropOdd(top string) error {
	var errs []error
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		base := filepath.Base(name)
		if err != nil || e.IsDir() || base != ".gitignore" && base != ".gitattributes" {
			return nil //nolint:nilerr // a folder that cannot be read is not read by git either
		}
		if info, err := e.Info(); err == nil && (!isLeaf(info) || info.Size() > MaxFileSize) {
			errs = append(errs, os.Remove(name))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}

// isLeaf reports whether git keeps a file of this kind.
func isLeaf(info os.FileInfo) bool { return info.Mode().IsRegular() || info.Mode()&os.ModeSymlink != 0 }

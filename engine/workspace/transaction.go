package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"forge/patch"
)

// transaction is one Write under way: first everything is checked and staged, then renamed. Until keep,
// undo takes all of it back.
type transaction struct {
	in      folder
	files   []*staged
	folders []string // made for new files, outermost first
	names   int      // temporary names given out
}

// staged is one file of a transaction.
type staged struct {
	FileWrite
	target string      // Path, or where its symbolic link leads
	old    fs.FileInfo // nil when there is no file
	temp   string      // the new content; empty for a delete, and once it was renamed
	backup string      // the old content, from just before the rename
	done   bool        // the target is new
}

func writeAll(ctx context.Context, in folder, changes []FileWrite) (err error) {
	t := &transaction{in: in}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.undo())
		}
	}()
	for _, c := range changes {
		if err := t.check(c); err != nil {
			return err
		}
	}
	for _, f := range t.files {
		if err := t.stage(f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, f := range t.files {
		if err := t.commit(f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	if err := t.syncFolders(); err != nil {
		return err
	}
	t.keep()
	return nil
}

// check finds out what c replaces, and refuses it where it does not fit. It changes nothing.
func (t *transaction) check(c FileWrite) error {
	target, err := resolve(t.in, c.Path)
	if err != nil {
		return err
	}
	if c.Delete {
		target = c.Path // the link goes, not what it leads to
	}
	f := &staged{FileWrite: c, target: target}
	if slices.ContainsFunc(t.files, func(other *staged) bool { return other.target == target }) {
		return &patch.PathError{Path: c.Path, Cause: "another path of the same change leads to the same file"}
	}
	if err := f.matches(t.in); err != nil {
		return err
	}
	if f.old != nil && f.old.Mode().IsRegular() && f.old.Mode().Perm()&0o222 == 0 {
		return &patch.PathError{Path: c.Path, Cause: "it is read-only; make it writable if it is meant to change"}
	}
	t.files = append(t.files, f)
	return nil
}

// matches compares the file with what the change was computed on.
func (f *staged) matches(in folder) error {
	info, err := in.Lstat(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.Base != "" {
			return &StaleError{f.Path}
		}
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	content, err := readRegular(in, f.target)
	if err != nil {
		return err
	}
	if f.Base == "" || Hash(content) != f.Base {
		return &StaleError{f.Path}
	}
	f.old = info
	return nil
}

// resolve follows the symbolic links that name itself may be. os.Root follows those of its folders.
func resolve(in folder, name string) (string, error) {
	at := name
	for range 10 {
		info, err := in.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil //nolint:nilerr // a file that is not there is no link; matches sees all else
		}
		link, err := in.Readlink(at)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		at = path.Join(path.Dir(at), link)
		if path.IsAbs(link) || patch.CheckPath(at) != nil {
			return "", &patch.PathError{Path: name, Cause: "it is a symbolic link that leaves the folder"}
		}
	}
	return "", &patch.PathError{Path: name, Cause: "its symbolic links go round in a circle"}
}

// stage puts the new content beside the target, complete and synced.
func (t *transaction) stage(f *staged) error {
	if f.Delete {
		return nil
	}
	if err := t.makeFolders(path.Dir(f.target)); err != nil {
		return err
	}
	mode := fs.FileMode(0)
	if f.old != nil {
		mode = f.old.Mode().Perm()
	}
	name, err := t.write(path.Dir(f.target), f.Content, mode)
	f.temp = name
	if err == nil && f.old != nil {
		keepOwner(t.in, f.temp, f.old)
	}
	return err
}

// write makes a synced file with a name of its own in dir. The name is valid, for undo, with an error too.
func (t *transaction) write(dir string, content []byte, mode fs.FileMode) (name string, err error) {
	name, f, err := t.create(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return name, err
		}
	}
	if _, err := f.Write(content); err != nil {
		return name, err
	}
	return name, f.Sync()
}

func (t *transaction) create(dir string) (string, file, error) {
	for {
		name := t.spare(dir)
		f, err := t.in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return name, f, err
		}
	}
}

// spare gives a temporary name not given out before by this process; another's is met by O_EXCL.
func (t *transaction) spare(dir string) string {
	t.names++
	return path.Join(dir, ".forge-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(t.names)+".tmp")
}

// makeFolders makes dir and what is missing above it, and remembers what it made.
func (t *transaction) makeFolders(dir string) error {
	if dir == "." {
		return nil
	}
	parts := strings.Split(dir, "/")
	for i := range parts {
		name := strings.Join(parts[:i+1], "/")
		info, err := t.in.Stat(name)
		switch {
		case err == nil && !info.IsDir():
			return &patch.PathError{Path: dir, Cause: name + " is a file"}
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := t.in.Mkdir(name, 0o777); err != nil {
			return err
		}
		t.folders = append(t.folders, name)
	}
	return nil
}

// commit swaps one file, after a last look that it still is the one the change was computed on.
func (t *transaction) commit(f *staged) error {
	if err := f.matches(t.in); err != nil {
		return err
	}
	if f.old == nil && f.Delete {
		return nil
	}
	if f.Delete {
		name := t.spare(path.Dir(f.target))
		if err := t.in.Rename(f.target, name); err != nil {
			return err
		}
		f.backup, f.done = name, true
		return nil
	}
	if f.old != nil {
		if err := t.preserve(f); err != nil {
			return err
		}
	}
	if err := t.in.Rename(f.temp, f.target); err != nil {
		return err
	}
	f.temp, f.done = "", true
	return nil
}

// preserve keeps the old file under a second name: the very same one, or a copy where the file system
// has no hard links.
func (t *transaction) preserve(f *staged) error {
	name := t.spare(path.Dir(f.target))
	if err := t.in.Link(f.target, name); err == nil {
		f.backup = name
		return nil
	}
	content, err := readRegular(t.in, f.target)
	if err != nil {
		return err
	}
	f.backup, err = t.write(path.Dir(f.target), content, f.old.Mode().Perm())
	if err == nil {
		keepOwner(t.in, f.backup, f.old)
	}
	return err
}

// syncFolders makes the renames last. Windows cannot sync a folder, and need not.
func (t *transaction) syncFolders() error {
	synced := map[string]bool{}
	for _, f := range t.files {
		for dir := path.Dir(f.target); !synced[dir]; dir = path.Dir(dir) {
			synced[dir] = true
			if err := syncFolder(t.in, dir); err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
		}
	}
	return nil
}

// keep makes the transaction final. A backup that cannot be removed is not worth undoing it.
func (t *transaction) keep() {
	for _, f := range t.files {
		if f.backup != "" {
			_ = t.in.Remove(f.backup)
		}
	}
}

// undo puts every file back, newest first, and removes whatever was made.
func (t *transaction) undo() error {
	var errs []error
	failed := func(f *staged, err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("put %s back: %w", f.Path, err))
		}
	}
	for _, f := range slices.Backward(t.files) {
		switch {
		case f.done && f.backup != "":
			failed(f, t.in.Rename(f.backup, f.target))
		case f.done:
			failed(f, t.in.Remove(f.target))
		case f.backup != "":
			failed(f, t.in.Remove(f.backup))
		}
		if f.temp != "" {
			failed(f, t.in.Remove(f.temp))
		}
	}
	for _, name := range slices.Backward(t.folders) {
		_ = t.in.Remove(name) // stays when someone put a file into it meanwhile
	}
	return errors.Join(errs...)
}

package shadow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"forge/engine/gitdir"
	"forge/internal/failpoint"
)

// lease is the folder of a scratch tree on disk while this process owns it.
type lease struct {
	home  string           // trees/<id>
	owner *gitdir.FileLock // nil after the lease
}

// need records the commit of the tree: GC keeps it while the tree has an owner.
func (l *lease) need(commit string) error {
	return os.WriteFile(filepath.Join(l.home, "needs"), []byte(commit+"\n"), 0o600)
}

// end releases the folder.
func (l *lease) end() error {
	err := l.owner.Close()
	l.owner = nil
	return err
}

// remove removes the folder. The lock file goes last: until then no other process can take the tree.
func (l *lease) remove() error {
	failpoint.Hit(failTreeRemove)
	entries, err := os.ReadDir(l.home)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, entry := range entries {
		if entry.Name() != ownerFile {
			err = errors.Join(err, removeAll(filepath.Join(l.home, entry.Name())))
		}
	}
	if err == nil {
		err = removeAll(l.home)
	}
	err = errors.Join(err, l.end())
	failpoint.Hit(failTreeRemoved)
	return err
}

// ownerFile is the lock of the tree's owner.
const ownerFile = "owner"

// removeAll removes a folder even if parts of it are read-only, such as Go's module cache.
func removeAll(name string) error {
	if err := os.RemoveAll(name); err == nil {
		return nil
	}
	// A test may have made folders unreadable: WalkDir calls this before it reads one.
	_ = filepath.WalkDir(name, func(full string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(full, 0o700) //nolint:gosec // a folder needs x
		}
		return nil // RemoveAll below reports the error
	})
	return os.RemoveAll(name)
}

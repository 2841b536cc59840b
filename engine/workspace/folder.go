package workspace

import (
	"io"
	"io/fs"
	"os"
)

// folder is what writing needs of a directory tree. Tests put one in between that fails at any step.
type folder interface {
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	OpenFile(name string, flag int, perm fs.FileMode) (file, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
	Chown(name string, uid, gid int) error
	// settled says why what was done is not where the names that were given lead: a folder was replaced meanwhile.
	settled() error
}

type file interface {
	io.ReadWriteCloser
	io.Seeker
	Stat() (fs.FileInfo, error)
	Sync() error
	Chmod(mode fs.FileMode) error
	Truncate(size int64) error
	Fd() uintptr
}

// osFolder is a directory tree on disk. Invariant: os.Root lets no path and no symbolic link out of it.
// It follows links within: Forge's own folders are used through it, folders of others through inside.
type osFolder struct{ *os.Root }

func (osFolder) settled() error { return nil }

func (f osFolder) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	return openFile(f.Root, name, flag, perm)
}

func openFile(root *os.Root, name string, flag int, perm fs.FileMode) (file, error) {
	f, err := root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not f: a nil *os.File is no nil file
	}
	return f, nil
}

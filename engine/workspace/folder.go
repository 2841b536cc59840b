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
}

type file interface {
	io.ReadWriteCloser
	io.Seeker
	Sync() error
	Chmod(mode fs.FileMode) error
	Truncate(size int64) error
	Fd() uintptr
}

// osFolder is a directory tree on disk. Invariant: os.Root lets no path and no symbolic link out of it.
type osFolder struct{ *os.Root }

func (f osFolder) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	return f.Root.OpenFile(name, flag, perm)
}

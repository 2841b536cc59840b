package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"forge/patch"
)

// inside is the folder that a transaction writes in. Each operation is made in the folder that the name is in, which
// was opened part by part, and each part is one that no link leads to and that is no git directory, by its identity
// after it was opened. A folder stays the one that was opened first: a process that swaps it for another afterwards, or for
// a link, moves what was begun along with it, and settled sees it.
//
// Invariant: no operation goes through a symbolic link, and none is made in a git directory.
type inside struct {
	root *os.Root
	own  gits // of the whole folder

	mu     sync.Mutex          // guards opened
	opened map[string]*os.Root // by the path of the folder, "." is root
}

// maxOpened bounds how many folders are held open; those beyond are opened for each operation.
const maxOpened = 200

func newInside(root *os.Root) *inside {
	return &inside{root: root, own: gitsOf(root), opened: map[string]*os.Root{".": root}}
}

// close lets go of the folders that were opened; root is the caller's.
func (in *inside) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for name, dir := range in.opened {
		if name != "." {
			_ = dir.Close()
		}
	}
	in.opened = map[string]*os.Root{}
}

// dir returns the folder of a path. Whether it may be let go of afterwards, done knows.
func (in *inside) dir(name string) (dir *os.Root, done func(), err error) {
	if dir = in.held(name); dir != nil {
		return dir, func() {}, nil
	}
	above, release, err := in.dir(path.Dir(name))
	if err != nil {
		return nil, nil, err
	}
	defer release()
	dir, err = openPart(above, path.Base(name), in.own)
	if err != nil {
		return nil, nil, named(err, name)
	}
	return in.hold(name, dir)
}

func (in *inside) held(name string) *os.Root {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.opened[name]
}

// hold keeps a folder that was opened. Of two that were opened at the same time the first one stays.
func (in *inside) hold(name string, dir *os.Root) (*os.Root, func(), error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if first := in.opened[name]; first != nil {
		_ = dir.Close()
		return first, func() {}, nil
	}
	if len(in.opened) >= maxOpened {
		return dir, func() { _ = dir.Close() }, nil
	}
	in.opened[name] = dir
	return dir, func() {}, nil
}

// openPart opens a folder in another one, and is sure of what it opened.
func openPart(above *os.Root, base string, own gits) (*os.Root, error) {
	before, err := above.Lstat(base)
	switch {
	case err != nil:
		return nil, err
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, errMoved // RealPath has followed every link: this one is new
	case !before.IsDir():
		return nil, &fs.PathError{Op: "open", Path: base, Err: ErrNoFolder}
	}
	dir, err := above.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	opened, err := dir.Lstat(".")
	switch {
	case err == nil && !os.SameFile(before, opened):
		err = errMoved
	case err == nil && (own.has(opened) || isGit(above, ".", opened) || isRepository(dir, ".")):
		err = errIsGit
	}
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	return dir, nil
}

var (
	// errMoved is the cause for a path that led elsewhere a moment ago.
	errMoved = errors.New("a folder on its way was replaced meanwhile")
	errIsGit = errors.New("it leads into a git directory")
)

// ErrNoFolder is the cause for a path below a file: there is nothing of the name, and nothing can be made there while the file exists.
var ErrNoFolder = errors.New("a part of its path is no folder")

// named makes errors of this file refusals of a path.
func named(err error, name string) error {
	for _, cause := range []error{errMoved, errIsGit} {
		if errors.Is(err, cause) {
			return &patch.PathError{Path: name, Cause: cause.Error()}
		}
	}
	return err
}

// settled implements folder: it returns, as a *patch.PathError, which of the folders that were written in is no longer where its name leads.
func (in *inside) settled() error {
	in.mu.Lock()
	names := maps.Clone(in.opened)
	in.mu.Unlock()
	for name, dir := range names {
		opened, err := dir.Lstat(".")
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		now, err := lstat(in.root, name)
		if err != nil || !os.SameFile(opened, now) {
			return &patch.PathError{Path: name, Cause: errMoved.Error()}
		}
	}
	return nil
}

// lstat looks at a folder of root by its path, and follows no link on the way.
func lstat(root *os.Root, name string) (fs.FileInfo, error) {
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := root.Lstat(at)
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, errMoved
		}
	}
	return root.Lstat(name)
}

// at makes an operation in the folder that a name is in.
func at[T any](in *inside, name string, do func(dir *os.Root, base string) (T, error)) (T, error) {
	dir, done, err := in.dir(path.Dir(name))
	if err != nil {
		var none T
		return none, err
	}
	defer done()
	return do(dir, path.Base(name))
}

// act is at for functions without a result.
func act(in *inside, name string, do func(dir *os.Root, base string) error) error {
	_, err := at(in, name, func(dir *os.Root, base string) (struct{}, error) { return struct{}{}, do(dir, base) })
	return err
}

// Stat implements folder. It only looks, and follows links as os.Root does: within the folder.
func (in *inside) Stat(name string) (fs.FileInfo, error) { return in.root.Stat(name) }

// Lstat implements folder.
func (in *inside) Lstat(name string) (fs.FileInfo, error) {
	return at(in, name, (*os.Root).Lstat)
}

// Readlink implements folder.
func (in *inside) Readlink(name string) (string, error) {
	return at(in, name, (*os.Root).Readlink)
}

// OpenFile implements folder. A folder that is held is opened again as it is, wherever its name leads by now.
func (in *inside) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if dir := in.held(name); dir != nil {
		return openFile(dir, ".", flag, perm)
	}
	return at(in, name, func(dir *os.Root, base string) (file, error) { return openFile(dir, base, flag, perm) })
}

// Mkdir implements folder.
func (in *inside) Mkdir(name string, perm fs.FileMode) error {
	return act(in, name, func(dir *os.Root, base string) error { return dir.Mkdir(base, perm) })
}

// Remove implements folder.
func (in *inside) Remove(name string) error { return act(in, name, (*os.Root).Remove) }

// Chown implements folder.
func (in *inside) Chown(name string, uid, gid int) error {
	return act(in, name, func(dir *os.Root, base string) error { return dir.Lchown(base, uid, gid) })
}

// Rename implements folder, for names in one folder: all that a transaction renames.
func (in *inside) Rename(from, to string) error {
	return in.pair("rename", from, to, (*os.Root).Rename)
}

// Link implements folder, for names in one folder.
func (in *inside) Link(from, to string) error { return in.pair("link", from, to, (*os.Root).Link) }

func (in *inside) pair(operation, from, to string, do func(dir *os.Root, from, to string) error) error {
	if path.Dir(from) != path.Dir(to) {
		return &os.LinkError{Op: operation, Old: from, New: to, Err: errors.New("the names are in two folders")}
	}
	return act(in, from, func(dir *os.Root, base string) error { return do(dir, base, path.Base(to)) })
}

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
	// settled returns an error if the names no longer lead to what was written: a folder was replaced meanwhile.
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

// gits are the folders and files that the folder's own git takes for its directory, by identity and not by name: .git
// itself, and what it leads to where it is a symbolic link.
type gits []fs.FileInfo

func gitsOf(in looker) gits {
	var found gits
	own, err := in.Lstat(".git")
	if err != nil {
		return nil
	}
	found = append(found, own)
	if own.Mode()&fs.ModeSymlink != 0 {
		if led, err := in.Stat(".git"); err == nil {
			found = append(found, led)
		}
	}
	return found
}

func (g gits) has(info fs.FileInfo) bool {
	return slices.ContainsFunc(g, func(git fs.FileInfo) bool { return os.SameFile(git, info) })
}

// isGit reports whether something in the folder dir is its .git by another name: on file systems that fold case or have
// short names, several names are one file.
func isGit(in looker, dir string, info fs.FileInfo) bool {
	git, err := in.Lstat(path.Join(dir, ".git"))
	return err == nil && os.SameFile(git, info)
}

// isRepository reports whether git takes a folder for a git directory, whatever its name is: a bare repository, or one that a file .git
// names. Its settings and hooks name programs.
func isRepository(in looker, dir string) bool {
	has := func(name string) bool {
		_, err := in.Lstat(path.Join(dir, name))
		return err == nil
	}
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

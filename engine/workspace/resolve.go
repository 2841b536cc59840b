package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"forge/patch"
)

// maxLinks bounds how many symbolic links one path may go through.
const maxLinks = 40

// looker is what resolving a path needs of a folder.
type looker interface {
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
}

// RealPath follows every symbolic link of a path below root, those of its folders included, and returns the path of the
// place it leads to, which contains no link. A place outside of root or in a git directory is a *patch.PathError, by
// whatever name or link it was reached. Parts that are not there yet are taken as they are named.
//
// A link may change right after: a caller that writes uses the folder of Journal.Write, which checks again what it opened.
func RealPath(root *os.Root, name string) (string, error) {
	if err := patch.CheckPath(name); err != nil {
		return "", err
	}
	return resolve(root, name)
}

// CheckTarget returns, as a *patch.PathError, why a path of the folder root may not be written through an editor:
// RealPath for callers without an open folder.
func CheckTarget(root, name string) error {
	opened, err := openRoot(root)
	if err != nil {
		return err
	}
	defer opened.Close() //nolint:errcheck // nothing was written
	_, err = RealPath(opened, name)
	return err
}

// resolve is RealPath for a name that CheckPath has passed.
func resolve(in looker, name string) (string, error) {
	at, rest, links, gits := ".", strings.Split(name, "/"), 0, gitsOf(in)
	if isRepository(in, ".") {
		return "", inGit(name, at)
	}
	for len(rest) > 0 {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		info, err := in.Lstat(next)
		if err != nil { // not there, or not to be checked: the caller that opens it sees all else
			at = path.Join(append([]string{next}, rest...)...)
			break
		}
		if gits.has(info) || isGit(in, at, info) || info.IsDir() && isRepository(in, next) {
			return "", inGit(name, next)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", &patch.PathError{Path: name, Cause: "its symbolic links go round in a circle"}
		}
		if at, rest, err = follow(in, name, next, rest); err != nil {
			return "", err
		}
	}
	if patch.InGit(at) {
		return "", inGit(name, at)
	}
	return at, nil
}

// follow replaces the link at by its target: the walk restarts at the root of the folder.
func follow(in looker, name, at string, rest []string) (string, []string, error) {
	target, err := in.Readlink(at)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	to := path.Join(path.Dir(at), target)
	if path.IsAbs(target) || to == ".." || strings.HasPrefix(to, "../") {
		return "", nil, &patch.PathError{Path: name, Cause: "a symbolic link on it, " + at + ", leaves the folder"}
	}
	if patch.InGit(to) {
		return "", nil, inGit(name, at)
	}
	if to == "." {
		return ".", rest, nil
	}
	if err := patch.CheckPath(to); err != nil {
		return "", nil, &patch.PathError{Path: name, Cause: "a symbolic link on it, " + at + ", leads to a place that no edit may name"}
	}
	return ".", append(strings.Split(to, "/"), rest...), nil
}

func inGit(name, at string) error {
	if at == name || at == "." {
		return &patch.PathError{Path: name, Cause: "it leads into a git directory"}
	}
	return &patch.PathError{Path: name, Cause: "it leads into a git directory through " + at}
}

// resolveEntry is resolve for callers that mean the link itself that a path may be, such as to delete it.
func resolveEntry(in looker, name string) (string, error) {
	dir, base := path.Split(name)
	if dir == "" {
		return name, nil
	}
	at, err := resolve(in, strings.TrimSuffix(dir, "/"))
	if err != nil {
		return "", renamedError(err, name)
	}
	return path.Join(at, base), nil
}

// renamedError makes an error about a folder one about the path that leads through it.
func renamedError(err error, name string) error {
	if refused, ok := errors.AsType[*patch.PathError](err); ok {
		return &patch.PathError{Path: name, Cause: refused.Cause}
	}
	return err
}

// ReadFile returns the text of path as the user sees it: the unsaved buffer, or else the file. The
// error matches fs.ErrNotExist for a missing path, ErrNoFolder for one below a file, and is a *patch.PathError for one that leaves
// the folder or leads into a git directory, by whatever link, or is no regular file of at most MaxRead bytes.
func (s Snapshot) ReadFile(path string) ([]byte, error) {
	if err := patch.CheckPath(path); err != nil {
		return nil, err
	}
	if document, ok := s.Unsaved[path]; ok {
		return []byte(document.Text), nil
	}
	root, err := openRoot(s.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	return readInside(root, path)
}

// readInside reads a file of root. Most paths have no link on them, and resolving each would cost most of the time.
func readInside(root *os.Root, path string) ([]byte, error) {
	in := newInside(root)
	defer in.close()
	info, err := in.Lstat(path)
	if linked(info, err) {
		if path, err = resolve(root, path); err != nil {
			return nil, err
		}
	}
	return readRegular(in, path)
}

// linked reports whether there is a symbolic link on a path, from the results of Lstat.
func linked(info fs.FileInfo, err error) bool {
	if refused, ok := errors.AsType[*patch.PathError](err); ok {
		return refused.Cause == errMoved.Error()
	}
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func openRoot(path string) (*os.Root, error) {
	if err := CheckRoot(path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be opened: check its permissions: %w", path, err)
	}
	return root, nil
}

// MaxRead is the size in bytes above which a file is not read: such a file is not edited by a patch, and may be a trap.
const MaxRead = 64 << 20

// readRegular reads a file, never a link, a device or a pipe, which could block for ever. Its path was resolved.
func readRegular(in folder, path string) ([]byte, error) {
	info, err := in.Lstat(path)
	if err == nil {
		err = checkRegular(info, path)
	}
	if err != nil {
		return nil, readError(path, err)
	}
	f, err := in.OpenFile(path, PlainFlags, 0)
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if info, err = f.Stat(); err == nil {
		err = checkRegular(info, path)
	}
	if err != nil {
		return nil, readError(path, err)
	}
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead) // all of it at once; it may have grown meanwhile
	if _, err := content.ReadFrom(io.LimitReader(f, MaxRead+1)); err != nil {
		return nil, readError(path, err)
	}
	if content.Len() > MaxRead {
		return nil, tooLarge(path)
	}
	return content.Bytes(), nil
}

func checkRegular(info fs.FileInfo, path string) error {
	switch {
	case !info.Mode().IsRegular():
		return &patch.PathError{Path: path, Cause: "it is not a regular file"}
	case info.Size() > MaxRead:
		return tooLarge(path)
	}
	return nil
}

func tooLarge(path string) error {
	return &patch.PathError{Path: path, Cause: fmt.Sprintf("it is larger than %d MiB", MaxRead>>20)}
}

// readError wraps an error with the operation, unless it is a refusal, which names it.
func readError(path string, err error) error {
	if _, refused := errors.AsType[*patch.PathError](err); refused {
		return err
	}
	return fmt.Errorf("read %s: %w", path, err)
}

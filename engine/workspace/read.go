package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"forge/patch"
)

// ReadFile returns the text of path as the user sees it: the unsaved buffer, or else the file. The
// error matches fs.ErrNotExist for a path that is not there, and is a *patch.PathError for one that leaves
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

// linked reports whether there is a symbolic link on a path, from what Lstat said of it.
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

// readError says what was done. A refusal says it by itself.
func readError(path string, err error) error {
	if _, refused := errors.AsType[*patch.PathError](err); refused {
		return err
	}
	return fmt.Errorf("read %s: %w", path, err)
}

package index

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
	"unicode/utf8"
)

// folder reads the files below a root, and nothing else: a path that leads out through a symbolic link is refused.
type folder struct{ root *os.Root }

func openFolder(name string) (*folder, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be opened: check its permissions: %w", name, err)
	}
	return &folder{root}, nil
}

func (f *folder) close() error { return f.root.Close() }

// read returns the content of a file. It never blocks.
func (f *folder) read(name string) ([]byte, error) {
	v := visitor{folder: f}
	defer v.close()
	content, _, err := v.read(name)
	return content, err
}

// hashOf names a content as the rest of Forge does: the SHA-256, in hexadecimal.
func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// stamp is the state of a file on disk: as long as it is the same, so is the content, mostly.
type stamp struct {
	size    int64 // bytes
	changed int64 // when the content was changed, in nanoseconds of Unix time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime().UnixNano()} }

// visitor reads files one after the other. It keeps the last directory open, for paths in order: opening a path
// from the root opens every directory on the way. It is for short use: a directory that is renamed stays open.
type visitor struct {
	*folder
	name string   // of the directory; empty: none is open
	at   *os.Root // the directory

	content []byte // of the last file
}

func (v *visitor) close() {
	if v.at != nil {
		v.at.Close() //nolint:errcheck // nothing was written
	}
	v.at, v.name = nil, ""
}

// directory opens the directory of a file.
func (v *visitor) directory(name string) (*os.Root, error) {
	if !utf8.ValidString(name) {
		return nil, skipError{Unnameable}
	}
	if !fs.ValidPath(name) || name == "." {
		return nil, skipError{Outside}
	}
	dir := path.Dir(name)
	if dir == "." {
		return v.root, nil
	}
	if v.at != nil && v.name == dir {
		return v.at, nil
	}
	v.close()
	at, err := v.root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	v.at, v.name = at, dir
	return at, nil
}

// stat returns the state of a regular file.
func (v *visitor) stat(name string) (stamp, error) {
	dir, err := v.directory(name)
	if err != nil {
		return stamp{}, err
	}
	info, err := dir.Lstat(path.Base(name))
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), checkRegular(info)
}

// checkRegular refuses what could block for ever, and links, which lead to files with paths of their own.
func checkRegular(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return skipError{NotRegular}
	case info.Size() > largest(info.Name()):
		return skipError{TooLarge}
	}
	return nil
}

// read returns a file's content, which holds until the next one is read, and its state before it was read.
func (v *visitor) read(name string) ([]byte, stamp, error) {
	// A pipe must not be opened at all; one that takes the place of the file just now does not block.
	if at, err := v.stat(name); err != nil {
		return nil, at, err
	}
	dir, err := v.directory(name)
	if err != nil {
		return nil, stamp{}, err
	}
	opened, err := dir.OpenFile(path.Base(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, stamp{}, err
	}
	defer opened.Close() //nolint:errcheck // nothing was written
	info, err := opened.Stat()
	if err == nil {
		err = checkRegular(info)
	}
	if err != nil {
		return nil, stamp{}, err
	}
	v.content, err = readUpTo(opened, v.content[:0], int(info.Size()))
	return v.content, stampOf(info), err
}

// readUpTo appends all of a file of about a size, unless it has grown too large.
func readUpTo(r io.Reader, to []byte, size int) ([]byte, error) {
	to = slices.Grow(to, size+1) // one more, to see the end without growing
	n, err := io.ReadFull(r, to[:size+1])
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return to[:n], nil
	case err != nil:
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, maxCode))
	return append(to[:n], rest...), err
}

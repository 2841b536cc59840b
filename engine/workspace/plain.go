package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is the cause for a file that is a folder, a link to none, a pipe, a socket or a device.
var ErrNotRegular = errors.New("it is not a regular file")

// SizeError means that a file is larger than its reader accepts.
type SizeError struct{ Max int64 }

// Error returns the message for users.
func (e *SizeError) Error() string {
	if e.Max >= 1<<20 {
		return fmt.Sprintf("it is larger than %d MiB", e.Max>>20)
	}
	return fmt.Sprintf("it is larger than %d KiB", e.Max>>10)
}

// Opener opens files by name, as *os.Root does.
type Opener interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// ReadPlainFile reads a file of at most so many bytes. It follows links, as os.ReadFile does. The error is an
// *fs.PathError around ErrNotRegular or a *SizeError where the file is not one to read.
func ReadPlainFile(name string, most int64) ([]byte, error) { return ReadPlain(System, name, most) }

// ReadPlain is ReadFile in a folder.
func ReadPlain(in Opener, name string, most int64) ([]byte, error) {
	f, err := OpenPlain(in, name, most)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return ReadAllPlain(f, name, most)
}

// OpenPlain opens a regular file of at most so many bytes to read it. The look before opening keeps devices from
// being opened at all; the look at the open file is the one that counts.
func OpenPlain(in Opener, name string, most int64) (*os.File, error) {
	info, err := in.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := check(info, name, most); err != nil {
		return nil, err
	}
	f, err := in.OpenFile(name, PlainFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = check(info, name, most)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func check(info fs.FileInfo, name string, most int64) error {
	switch {
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	case info.Size() > most:
		return &fs.PathError{Op: "read", Path: name, Err: &SizeError{most}}
	}
	return nil
}

// ReadAllPlain reads an open file to its end, which must come within most bytes: it may grow while it is read.
func ReadAllPlain(f *os.File, name string, most int64) ([]byte, error) {
	var content bytes.Buffer
	if info, err := f.Stat(); err == nil {
		content.Grow(int(min(info.Size(), most)) + bytes.MinRead)
	}
	if _, err := content.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, err
	}
	if int64(content.Len()) > most {
		return nil, &fs.PathError{Op: "read", Path: name, Err: &SizeError{most}}
	}
	return content.Bytes(), nil
}

// System opens files of the whole machine.
var System Opener = system{}

type system struct{}

func (system) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (system) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm) //nolint:gosec // the caller's name
}

//go:build unix

package terminal

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// HideInput turns off the echo of a terminal until show is called.
func HideInput(in io.Reader) (show func(), err error) {
	file, is := in.(*os.File)
	if !is {
		return nil, errors.New("it is not a terminal")
	}
	fd := int(file.Fd())
	before, err := unix.IoctlGetTermios(fd, termiosRead)
	if err != nil {
		return nil, err
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, termiosWrite, &hidden); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, termiosWrite, before) }, nil
}

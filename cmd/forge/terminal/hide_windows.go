package terminal

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// HideInput turns off the echo of a terminal until show is called.
func HideInput(in io.Reader) (show func(), err error) {
	file, is := in.(*os.File)
	if !is {
		return nil, errors.New("it is not a terminal")
	}
	console := windows.Handle(file.Fd())
	var before uint32
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(console, before&^windows.ENABLE_ECHO_INPUT); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(console, before) }, nil
}

// dropInput drops pending input of a console. It has no effect on other files.
func dropInput(console *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(console.Fd())) }

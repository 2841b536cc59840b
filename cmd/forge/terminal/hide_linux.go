package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// The requests that read and write the settings of a terminal.
const (
	termiosRead  = unix.TCGETS
	termiosWrite = unix.TCSETS
)

// dropInput drops pending input of a terminal. It has no effect on other files.
func dropInput(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

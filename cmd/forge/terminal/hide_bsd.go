//go:build unix && !linux

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// The requests that read and write the settings of a terminal.
const (
	termiosRead  = unix.TIOCGETA
	termiosWrite = unix.TIOCSETA
)

// forRead is FREAD of <sys/fcntl.h>: the input queue.
const forRead = 1

// dropInput drops pending input of a terminal. It has no effect on other files.
func dropInput(tty *os.File) { _ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, forRead) }

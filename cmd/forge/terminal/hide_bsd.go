//go:build unix && !linux

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// How the settings of a terminal are read and written.
const (
	termiosRead  = unix.TIOCGETA
	termiosWrite = unix.TIOCSETA
)

// forRead is FREAD of <sys/fcntl.h>: what was typed.
const forRead = 1

// dropInput drops what was typed at a terminal and not read yet. What is no terminal keeps it.
func dropInput(tty *os.File) { _ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, forRead) }

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// How the settings of a terminal are read and written.
const (
	termiosRead  = unix.TCGETS
	termiosWrite = unix.TCSETS
)

// dropInput drops what was typed at a terminal and not read yet. What is no terminal keeps it.
func dropInput(tty *os.File) { _ = unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

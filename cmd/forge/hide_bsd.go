//go:build unix && !linux

package main

import "golang.org/x/sys/unix"

// How the settings of a terminal are read and written.
const (
	termiosRead  = unix.TIOCGETA
	termiosWrite = unix.TIOCSETA
)

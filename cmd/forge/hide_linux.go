package main

import "golang.org/x/sys/unix"

// How the settings of a terminal are read and written.
const (
	termiosRead  = unix.TCGETS
	termiosWrite = unix.TCSETS
)

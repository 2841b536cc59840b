//go:build unix

package workspace

import (
	"os"
	"syscall"
)

// PlainFlags open a file for reading without waiting, in case it has become a pipe or a terminal.
const PlainFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

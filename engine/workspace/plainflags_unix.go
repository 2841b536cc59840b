//go:build unix

package workspace

import (
	"os"
	"syscall"
)

// PlainFlags open a file to read it without waiting for anybody, should it be a pipe or a terminal by now.
const PlainFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

package tool

import (
	"io/fs"
	"syscall"
)

// changedAt returns when a file or its metadata was last changed, in nanoseconds of the file system's clock.
func changedAt(info fs.FileInfo) int64 {
	if s, is := info.Sys().(*syscall.Stat_t); is {
		return s.Ctim.Nano()
	}
	return 0
}

package tool

import (
	"io/fs"
	"syscall"
)

// changedAt is when a file or what is known of it was last changed, in nanoseconds of the file system's clock.
func changedAt(info fs.FileInfo) int64 {
	if s, is := info.Sys().(*syscall.Stat_t); is {
		return s.Ctim.Nano()
	}
	return 0
}

//go:build linux || darwin

package sandbox

import (
	"io/fs"
	"syscall"
)

// onDisk returns the disk usage of a file; a sparse file takes less than its size.
func onDisk(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * 512 // as POSIX counts them
	}
	return info.Size()
}

// almostFull reports whether the disk of a folder is almost full.
func almostFull(dir string) bool {
	var stat syscall.Statfs_t
	return syscall.Statfs(dir, &stat) == nil && stat.Bavail*uint64(stat.Bsize) < minFree //nolint:gosec,unconvert // a size is not negative; its type depends on the system
}

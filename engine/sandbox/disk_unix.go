//go:build linux || darwin

package sandbox

import (
	"io/fs"
	"syscall"
)

// onDisk is what a file takes; a file with holes takes less than its size.
func onDisk(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * 512 // as POSIX counts them
	}
	return info.Size()
}

// almostFull reports whether the disk that a folder is on is all but full.
func almostFull(dir string) bool {
	var stat syscall.Statfs_t
	return syscall.Statfs(dir, &stat) == nil && stat.Bavail*uint64(stat.Bsize) < minFree //nolint:gosec,unconvert // a size is not negative; its type is another one elsewhere
}

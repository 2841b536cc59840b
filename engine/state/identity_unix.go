//go:build unix

package state

import (
	"io/fs"
	"syscall"
)

func (id *identity) fill(info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode, id.Owner = uint64(stat.Dev), stat.Ino, stat.Uid //nolint:unconvert // Dev is an int32 on some systems
	}
}

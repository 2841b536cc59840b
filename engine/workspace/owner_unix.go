//go:build unix

package workspace

import (
	"io/fs"
	"syscall"
)

// keepOwner returns name the owner and the group of old. Only a privileged user may give a file away, and only for such a user
// does the owner differ: a refusal is no fault. Another group of their own is one that every user may give.
func keepOwner(in folder, name string, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok && in.Chown(name, int(stat.Uid), int(stat.Gid)) != nil {
		_ = in.Chown(name, -1, int(stat.Gid))
	}
}

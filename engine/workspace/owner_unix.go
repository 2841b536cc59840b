//go:build unix

package workspace

import (
	"io/fs"
	"syscall"
)

// keepOwner returns name the owner of old. Only a privileged user may do that, and only for such a user
// does the owner differ: a refusal is no fault.
func keepOwner(in folder, name string, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = in.Chown(name, int(stat.Uid), int(stat.Gid))
	}
}

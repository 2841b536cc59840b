package gitdir

import (
	"io/fs"
	"syscall"
)

// StampOf is the stamp of a file that was looked at.
func StampOf(info fs.FileInfo) Stamp {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}
	}
	return Stamp{
		Mode: info.Mode(), Size: s.Size, Modified: s.Mtimespec.Nano(), Changed: s.Ctimespec.Nano(),
		Device: uint64(s.Dev), Node: s.Ino, //nolint:gosec // compared, never computed with
	}
}

// BootID names the time since the machine was started. What was not synced by the end of it may be lost,
// content and all, although the names are there. Empty: not known.
func BootID() string {
	id, err := syscall.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

package shadow

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{
		Mode: info.Mode(), Size: s.Size, Modified: s.Mtimespec.Nano(), Changed: s.Ctimespec.Nano(),
		Device: uint64(s.Dev), Node: s.Ino, //nolint:gosec // compared, never computed with
	}
}

// bootID names the time since the machine was started. What was not synced by the end of it may be lost,
// content and all, although the names are there. Empty: not known.
func bootID() string {
	id, err := syscall.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

package gitdir

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// StampOf is the stamp of a file that was looked at.
func StampOf(info fs.FileInfo) Stamp {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}
	}
	return Stamp{
		Mode: info.Mode(), Size: s.Size, Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano(),
		Device: s.Dev, Node: s.Ino,
	}
}

// BootID names the time since the machine was started. What was not synced by the end of it may be lost,
// content and all, although the names are there. Empty: not known.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

package gitdir

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// StampOf returns the stamp of a file.
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

// BootID identifies the time since the machine's boot. Data that was not synced before its end may be
// lost, even if the file names exist. Empty means unknown.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

package gitdir

import (
	"io/fs"
	"syscall"
)

// StampOf returns the stamp of a file.
func StampOf(info fs.FileInfo) Stamp {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}
	}
	return Stamp{
		Mode: info.Mode(), Size: s.Size, Modified: s.Mtimespec.Nano(), Changed: s.Ctimespec.Nano(),
		Device: uint64(s.Dev), Node: s.Ino, //nolint:gosec // only compared
	}
}

// BootID identifies the time since the machine's boot. Data that was not synced before its end may be
// lost, even if the file names exist. Empty means unknown.
func BootID() string {
	id, err := syscall.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

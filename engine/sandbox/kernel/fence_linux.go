package kernel

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of Landlock: with the first of these, files can be renamed between writable folders; with the second, a protected file
// cannot be truncated; with the third, no outside process can be signalled.
const (
	refers    = 2 // Linux 5.19
	truncates = 3 // Linux 6.2
	Signals   = 6 // Linux 6.12
)

// LandlockVersion is that of Landlock in this kernel; 0 if it is compiled out, disabled or forbidden by a filter.
var LandlockVersion = sync.OnceValue(func() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
})

// CanFence reports whether Landlock can be used: its first version forbids all renames between folders, which breaks too many
// tools.
func CanFence() bool { return LandlockVersion() >= refers }

// Rights of Landlock to write a file, and a folder with everything beneath it.
const (
	fileRights   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	folderRights = fileRights | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// Fence has the rules of Landlock for files: everything without a rule is forbidden.
type Fence struct {
	fd    int
	more  uint64 // rights of writing that only newer kernels have
	reads uint64 // the right to read, if the ruleset restricts that
}

// NewFence creates a fence with rules that allow no writes and, with reads, no reading of files' contents. A jailed process reaches no
// abstract socket outside.
func NewFence(jailed, reads bool) (Fence, error) {
	f := Fence{}
	if reads {
		f.reads = unix.LANDLOCK_ACCESS_FS_READ_FILE
	}
	if LandlockVersion() >= truncates {
		f.more = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attr := unix.LandlockRulesetAttr{Access_fs: folderRights | f.more | f.reads}
	size := unsafe.Sizeof(attr.Access_fs) // older kernels only have the first field
	if LandlockVersion() >= Signals {
		attr.Scoped, size = unix.LANDLOCK_SCOPE_SIGNAL, unsafe.Sizeof(attr)
		if jailed {
			attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		}
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return f, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	f.fd = int(fd)
	return f, nil
}

// Allow makes a file, or a folder with everything beneath it, readable and, with writes, writable. A missing one is omitted.
func (f Fence) Allow(path string, writes bool) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // deleted or unreachable
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: f.reads, Parent_fd: int32(fd)} //nolint:gosec // a descriptor is small
	switch isFolder := stat.Mode&unix.S_IFMT == unix.S_IFDIR; {
	case writes && isFolder:
		attr.Allowed_access |= folderRights | f.more
	case writes:
		attr.Allowed_access |= fileRights | f.more
	}
	if attr.Allowed_access == 0 {
		return nil
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(f.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}

// Restrict confines the calling thread, which can gain no new privileges, and all its children, permanently. It also keeps them
// from reading outside processes: a confined process belongs to a domain, and cannot open /proc/PID/mem of another one.
func (f Fence) Restrict() error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(f.fd), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// RestrictsReading reports whether files without a rule cannot be read either.
func (f Fence) RestrictsReading() bool { return f.reads != 0 }

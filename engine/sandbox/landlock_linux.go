package sandbox

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of Landlock's interface: with the first of these, files can be renamed between writable folders; with the second, a
// protected file cannot be truncated; with the third, no outside process can be signalled.
const (
	landlockRefers    = 2 // Linux 5.19
	landlockTruncates = 3 // Linux 6.2
	landlockSignals   = 6 // Linux 6.12
)

// landlockVersion is the version of this kernel; 0 if Landlock is compiled out, disabled or forbidden by a filter.
var landlockVersion = sync.OnceValue(func() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
})

// confinement returns full, partial or none, by the version.
func confinement() Confinement {
	switch version := landlockVersion(); {
	case version >= landlockTruncates:
		return Full
	case version >= landlockRefers:
		return Partial
	default: // the first version forbids all renames between folders, which breaks too many tools
		return None
	}
}

// Rights of Landlock for a file, and for a folder with everything beneath it. Reading is never restricted.
const (
	fileRights   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	folderRights = fileRights | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// ruleset is a set of Landlock rules, as a descriptor: everything without a rule is forbidden.
type ruleset struct {
	file *os.File
	fd   int    // of file
	more uint64 // rights that only newer kernels have
}

// newRuleset creates a ruleset that allows no writes.
func newRuleset() (ruleset, error) {
	r := ruleset{}
	if landlockVersion() >= landlockTruncates {
		r.more = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attr := unix.LandlockRulesetAttr{Access_fs: folderRights | r.more}
	size := unsafe.Sizeof(attr.Access_fs) // older kernels only have the first field
	if landlockVersion() >= landlockSignals {
		attr.Scoped, size = unix.LANDLOCK_SCOPE_SIGNAL, unsafe.Sizeof(attr)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return r, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	r.fd, r.file = int(fd), os.NewFile(fd, "landlock")
	return r, nil
}

// inheritedRuleset returns the ruleset that a launcher has got from Forge; nil if it has none.
func inheritedRuleset(is bool) *ruleset {
	if !is {
		return nil
	}
	r := &ruleset{fd: rulesetFD}
	if landlockVersion() >= landlockTruncates {
		r.more = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	return r
}

// allow makes the file of fd writable, or the folder with everything beneath it.
func (r ruleset) allow(fd int, isFolder bool) error {
	attr := unix.LandlockPathBeneathAttr{Allowed_access: fileRights | r.more, Parent_fd: int32(fd)} //nolint:gosec // a descriptor is small
	if isFolder {
		attr.Allowed_access = folderRights | r.more
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_add_rule", errno)
	}
	return nil
}

// restrict confines the calling thread, which can gain no new privileges, and all its children, permanently. It also keeps them
// from reading outside processes: a confined process belongs to a domain, and cannot open /proc/PID/mem of another one.
func (r ruleset) restrict() error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

func (r ruleset) close() { _ = r.file.Close() } // nothing is written to it

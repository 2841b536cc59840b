package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// landlocked reports whether Landlock can be used: its first version forbids all renames between folders, which breaks too many
// tools.
func landlocked() bool { return landlockVersion() >= landlockRefers }

// Rights of Landlock to write a file, and a folder with everything beneath it.
const (
	fileRights   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	folderRights = fileRights | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// ruleset is a set of Landlock rules: everything without a rule is forbidden.
type ruleset struct {
	fd    int
	more  uint64 // rights of writing that only newer kernels have
	reads uint64 // the right to read, if the ruleset restricts that
}

// newRuleset creates a ruleset that allows no writes and, with reads, no reading of files' contents. A jailed process reaches no
// abstract socket outside.
func newRuleset(jailed, reads bool) (ruleset, error) {
	r := ruleset{}
	if reads {
		r.reads = unix.LANDLOCK_ACCESS_FS_READ_FILE
	}
	if landlockVersion() >= landlockTruncates {
		r.more = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attr := unix.LandlockRulesetAttr{Access_fs: folderRights | r.more | r.reads}
	size := unsafe.Sizeof(attr.Access_fs) // older kernels only have the first field
	if landlockVersion() >= landlockSignals {
		attr.Scoped, size = unix.LANDLOCK_SCOPE_SIGNAL, unsafe.Sizeof(attr)
		if jailed {
			attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		}
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return r, os.NewSyscallError("landlock_create_ruleset", errno)
	}
	r.fd = int(fd)
	return r, nil
}

// allow makes a file, or a folder with everything beneath it, readable and, with writes, writable. A missing one is omitted.
func (r ruleset) allow(path string, writes bool) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // deleted or unreachable
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: r.reads, Parent_fd: int32(fd)} //nolint:gosec // a descriptor is small
	switch isFolder := stat.Mode&unix.S_IFMT == unix.S_IFDIR; {
	case writes && isFolder:
		attr.Allowed_access |= folderRights | r.more
	case writes:
		attr.Allowed_access |= fileRights | r.more
	}
	if attr.Allowed_access == 0 {
		return nil
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

// fence restricts this process by Landlock: a jailed one to the entries of its order, another one to nothing, so that it only has a
// domain of its own.
func fence(o order) error {
	hides := o.setup.jailed && !o.setup.mounted
	r, err := newRuleset(o.setup.jailed, hides)
	if err != nil {
		return err
	}
	changing, reading := devices, processFiles
	switch {
	case !o.setup.jailed:
		changing, reading = []string{"/"}, nil
	case !hides:
		changing, reading = []string{"/dev"}, nil
	}
	for _, path := range changing {
		err = errors.Join(err, r.allow(path, true))
	}
	for _, path := range reading {
		err = errors.Join(err, r.allow(path, false))
	}
	for _, e := range o.entries {
		err = errors.Join(err, r.open(o, e))
	}
	if err != nil {
		return err
	}
	return r.restrict()
}

// processFiles are the files of /proc that a command may read if it has none of its own: about itself and the machine, not about
// other processes.
var processFiles = []string{
	"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys", "/proc/filesystems", "/proc/loadavg",
	"/proc/uptime", "/proc/version", "/proc/vmstat", "/proc/zoneinfo", "/proc/cgroups", "/proc/devices", "/proc/diskstats", "/proc/swaps",
}

// open allows an entry.
func (r ruleset) open(o order, e entry) error {
	at := e.path
	switch {
	case e.kind == overlaid && !o.setup.mounted: // where nothing is mounted, it has another path
		var err error
		if at, err = os.Readlink(filepath.Join(e.target, buildsLink)); err != nil {
			return err
		}
	case e.kind == private && !o.setup.mounted:
		at = e.target
	}
	switch e.kind {
	case writable, overlaid, private:
		return r.allow(at, true)
	case readable:
		return r.openExcept(e.path, o.entries)
	}
	return nil
}

// openExcept makes a folder readable but for what is masked in it.
func (r ruleset) openExcept(path string, entries []entry) error {
	hidden := func(in string) bool {
		return slices.ContainsFunc(entries, func(m entry) bool { return m.kind == masked && isBeneath(m.path, in) })
	}
	if r.reads == 0 || !hidden(path) {
		return r.allow(path, false)
	}
	names, err := os.ReadDir(path)
	if err != nil {
		return nil //nolint:nilerr // unreadable or deleted, or a masked file
	}
	for _, name := range names {
		at := filepath.Join(path, name.Name())
		if slices.ContainsFunc(entries, func(m entry) bool { return m.kind == masked && m.path == at }) {
			continue
		}
		if err := r.openExcept(at, entries); err != nil {
			return err
		}
	}
	return nil
}

// confinable reports whether commands can be jailed even if the kernel refuses namespaces.
func confinable() bool { return landlocked() }

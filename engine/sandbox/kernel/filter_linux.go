//go:build amd64 || arm64

package kernel

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied are the system calls that no build, test or language server needs, and that reach the kernel's or other processes'
// insides. They fail with EPERM.
var denied = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_QUOTACTL, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_ACCT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE,
	unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_CHROOT,
}

// namespaces are the flags of clone that make namespaces.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// x32Bit marks the system calls of x32 programs, which have other numbers.
const x32Bit = 0x40000000

// Offsets in struct seccomp_data: the number of the call, the architecture, and the lower half of the first arguments.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16
)

// program is a filter of system calls for the kernel's classic BPF: a list of tests, each of which ends the filter or continues.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, ifTrue, ifFalse uint8) {
	*p = append(*p, unix.SockFilter{Code: code, K: k, Jt: ifTrue, Jf: ifFalse})
}

func (p *program) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }

func (p *program) fail(errno unix.Errno) {
	p.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0)
}

// failIf ends the filter with an error if a comparison with the loaded value is true.
func (p *program) failIf(comparison uint16, value uint32, errno unix.Errno) {
	p.add(unix.BPF_JMP|comparison|unix.BPF_K, value, 0, 1)
	p.fail(errno)
}

// on adds tests of an argument of a call.
func (p *program) on(call, argument uint32, tests func(*program)) {
	var inner program
	inner.load(dataArgs + 8*argument)
	tests(&inner)
	inner.load(dataCall)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, call, 0, uint8(len(inner))) //nolint:gosec // a few instructions
	*p = append(*p, inner...)
}

// Rules are what a filter does besides denying what no command needs.
type Rules struct {
	NoSockets bool // the command gets no sockets but pairs: nothing else keeps it from the network and from sockets of services
	// Attributes hands changes of files' modes, owners, times and attributes to a Supervisor: Landlock has no rules for them.
	Attributes bool
}

// filterOf returns the filter of jailed commands.
func filterOf(rules Rules) program {
	var p program
	p.load(dataArch)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, auditArch, 1, 0)
	p.fail(unix.ENOSYS) // calls of other architectures have other numbers
	p.load(dataCall)
	p.failIf(unix.BPF_JGE, x32Bit, unix.ENOSYS)
	for _, call := range slices.Concat(denied, deniedHere) {
		p.failIf(unix.BPF_JEQ, call, unix.EPERM)
	}
	p.failIf(unix.BPF_JEQ, unix.SYS_CLONE3, unix.ENOSYS) // its flags cannot be read: programs use clone instead
	p.on(unix.SYS_CLONE, 0, func(p *program) { p.failIf(unix.BPF_JSET, namespaces, unix.EPERM) })
	p.on(unix.SYS_IOCTL, 1, func(p *program) {
		p.failIf(unix.BPF_JEQ, unix.TIOCSTI, unix.EPERM)
		p.failIf(unix.BPF_JEQ, unix.TIOCLINUX, unix.EPERM)
	})
	if rules.Attributes {
		p.handOver()
	}
	if rules.NoSockets {
		p.failIf(unix.BPF_JEQ, unix.SYS_SOCKET, unix.EACCES)
		p.failIf(unix.BPF_JEQ, unix.SYS_CONNECT, unix.EACCES)
		p.on(unix.SYS_SOCKETPAIR, 1, func(p *program) { // a datagram socket of a pair could send to other addresses
			p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf, 0, 0)
			p.failIf(unix.BPF_JEQ, unix.SOCK_DGRAM, unix.EACCES)
		})
	} else {
		p.on(unix.SYS_SOCKET, 0, func(p *program) { p.failIf(unix.BPF_JEQ, unix.AF_VSOCK, unix.EACCES) }) // it has no namespaces
	}
	p.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0)
	return p
}

// handOver adds tests that hand calls to the supervisor. Newer calls do not exist for the command, so that it uses those.
func (p *program) handOver() {
	for _, call := range slices.Sorted(maps.Keys(forms)) {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, call, 0, 1)
		p.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_USER_NOTIF, 0, 0)
	}
	for _, call := range append([]uint32{unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR}, missingHere...) {
		p.failIf(unix.BPF_JEQ, call, unix.ENOSYS)
	}
	p.on(unix.SYS_IOCTL, 1, func(p *program) {
		p.failIf(unix.BPF_JEQ, unix.FS_IOC_SETFLAGS, unix.EOPNOTSUPP)
		p.failIf(unix.BPF_JEQ, setExtendedFlags, unix.EOPNOTSUPP)
	})
}

// setExtendedFlags is FS_IOC_FSSETXATTR of <linux/fs.h>.
const setExtendedFlags = 0x401c5820

// Apply applies a filter to this thread, which can gain no new privileges, and to the program that it becomes. If rules hand over
// calls, it returns the descriptor for the supervisor, and otherwise -1.
func Apply(rules Rules) (listener int, err error) {
	p := filterOf(rules)
	list := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]} //nolint:gosec // a hundred
	flags := 0
	if rules.Attributes {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, uintptr(flags), uintptr(unsafe.Pointer(&list)))
	if errno != 0 {
		return -1, fmt.Errorf("filter system calls: %w", errno)
	}
	if !rules.Attributes {
		return -1, nil
	}
	return int(fd), nil
}

// CanFilter reports whether this kernel filters system calls.
func CanFilter() bool {
	_, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return err == nil
}

//go:build amd64 || arm64

package seccomp

import (
	"fmt"
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

// program is a filter of system calls for the kernel's classic BPF: a list of tests, each of which ends the filter or goes on.
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

// filterOf returns the filter of jailed commands. A closed one has no sockets either, but for pairs, because nothing else keeps it
// from the network and from sockets of services.
func filterOf(closed bool) program {
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
	if closed {
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

// Apply applies the filter to this thread, which can gain no new privileges, and to the program that it becomes.
func Apply(closed bool) error {
	p := filterOf(closed)
	list := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]} //nolint:gosec // a hundred
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&list)), 0, 0); err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}

// Available reports whether this kernel filters system calls.
func Available() bool {
	_, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return err == nil
}

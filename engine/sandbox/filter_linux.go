//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The fields of struct seccomp_data (linux/seccomp.h) that a filter reads: the low halves of 64-bit arguments come first on all
// supported machines.
const (
	callNumber   = 0
	callMachine  = 4
	callArgument = 16 // the first one; each has eight bytes
)

// x32 marks system calls of the x32 interface on amd64, which have numbers of their own.
const x32 = 0x40000000

// newNamespaces are the flags of clone(2) and unshare(2) that create namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// refusedCalls are system calls that no build and no test needs, and that change the machine, reach around files and namespaces, or
// were the entrance of many attacks on the kernel.
var refusedCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_ADJTIMEX, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL, unix.SYS_VHANGUP,
}

// filter is a program for seccomp(2): the system calls of a confined process. Each refused one fails with EPERM, so that programs
// report it; those of other machines, and those that libraries can do without, fail with ENOSYS.
type filter struct{ program []bpf.Instruction }

// newFilter returns the filter of a command. internet and local report whether it can create sockets of the internet, and of this
// machine; pairs of sockets are always permitted.
func newFilter(internet, local bool) filter {
	f := filter{}
	f.add(bpf.LoadAbsolute{Off: callMachine, Size: 4})
	f.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: machine, SkipTrue: 1}, refuse(unix.ENOSYS))
	f.add(bpf.LoadAbsolute{Off: callNumber, Size: 4})
	f.add(bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: x32, SkipFalse: 1}, refuse(unix.ENOSYS))
	f.call(unix.SYS_CLONE3, refuse(unix.ENOSYS)) // its flags are in memory; libraries use clone instead
	for _, number := range refusedCalls {
		f.call(number, refuse(unix.EPERM))
	}
	f.flags(unix.SYS_CLONE, 0, newNamespaces)
	f.flags(unix.SYS_UNSHARE, 0, newNamespaces)
	f.values(unix.SYS_IOCTL, 1, unix.TIOCSTI, tiocLinux)
	families := []uint32{unix.AF_VSOCK, unix.AF_ALG, unix.AF_PACKET, unix.AF_XDP, unix.AF_KEY, unix.AF_BLUETOOTH, unix.AF_NFC, unix.AF_RDS, unix.AF_TIPC, unix.AF_SMC, unix.AF_QIPCRTR}
	if !internet {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	if !local {
		families = append(families, unix.AF_UNIX)
	}
	f.values(unix.SYS_SOCKET, 0, families...)
	f.add(bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
	return f
}

// tiocLinux pastes into virtual consoles (TIOCLINUX).
const tiocLinux = 0x541c

func refuse(errno unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)} //nolint:gosec // a small number
}

func (f *filter) add(more ...bpf.Instruction) { f.program = append(f.program, more...) }

// call adds what happens with a system call, whatever its arguments are.
func (f *filter) call(number uint32, action bpf.Instruction) {
	f.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: 1}, action)
}

// flags refuses a system call if an argument has one of some bits.
func (f *filter) flags(number uint32, argument int, bits uint32) {
	f.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: 4}, bpf.LoadAbsolute{Off: offset(argument), Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: bits, SkipFalse: 1}, refuse(unix.EPERM), bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
}

// values refuses a system call if an argument is one of some values.
func (f *filter) values(number uint32, argument int, values ...uint32) {
	f.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: uint8(2*len(values) + 2)}, bpf.LoadAbsolute{Off: offset(argument), Size: 4}) //nolint:gosec // a few
	for _, value := range values {
		f.call(value, refuse(unix.EPERM))
	}
	f.add(bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
}

func offset(argument int) uint32 { return callArgument + 8*uint32(argument) } //nolint:gosec // of six

// install confines this process, all its threads and all its children, permanently. They can gain no new privileges.
func (f filter) install() error {
	raw, err := bpf.Assemble(f.program)
	if err != nil {
		return fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]} //nolint:gosec // a few hundred
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// hasFilter reports whether there is a filter for this kind of machine.
const hasFilter = true

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// tree is a started process and all its children.
type tree struct {
	process *os.Process
	mark    string           // environment entry of every member; empty in a namespace
	state   *os.ProcessState // its end, after reap

	confined confined
}

// refused reports whether err can mean that namespaces are unavailable: forbidden, compiled out, too
// many, or forbidden by a filter. A program that cannot be executed is no refusal.
func refused(err error) bool {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Op == opExec {
		return false
	}
	for _, e := range []error{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSPC, syscall.ENOSYS, syscall.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// attributes returns a session of its own, without a terminal, that ends with Forge.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// namespaced returns attributes with a PID namespace, and those in more. Users other than root need a user namespace for that;
// launch maps the user.
func namespaced(more uintptr) *syscall.SysProcAttr {
	a := attributes()
	a.Cloneflags = syscall.CLONE_NEWPID | more
	if os.Geteuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
	}
	return a
}

var marks atomic.Int64

// nextMark is unique among living processes: Forge's number, the time, and a count.
func nextMark() string {
	return "FORGE_PROCESS_TREE=" + strconv.Itoa(os.Getpid()) + "." +
		strconv.FormatInt(time.Now().UnixNano(), 36) + "." + strconv.FormatInt(marks.Add(1), 10)
}

// wait blocks until the process has ended, and leaves it a zombie: meanwhile its number cannot be
// reused, so that kill never hits another process.
func (t *tree) wait() {
	const pPID = 1
	var info [128]byte // siginfo_t, unused
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pPID, uintptr(t.process.Pid),
			uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return
		}
	}
}

// kill ends the tree and returns when its members are dead. In a namespace they die with the first
// process, which is not a zombie before they are gone.
func (t *tree) kill() {
	pid := t.process.Pid
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL) // it may have left its group
	if t.mark != "" {
		hunt(pid, t.mark)
	}
}

// reap releases the number and records the end of the process.
func (t *tree) reap() { t.state, _ = t.process.Wait() }

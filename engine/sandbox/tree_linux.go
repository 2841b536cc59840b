package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// tree is a started process and everything it starts.
type tree struct {
	process *os.Process
	mark    string           // environment entry of every member; empty in a namespace
	state   *os.ProcessState // how it ended, after reap
}

// start starts cmd in a PID namespace, or without one where the kernel refuses; offline asks for an empty network namespace as
// well. There is no separate probe: the first command is one, and costs no process of its own.
func (r *runner) start(cmd exec.Cmd, offline bool) (*tree, error) {
	if offline && !r.plain.Load() {
		if t, err := startInside(cmd, syscall.CLONE_NEWNET); err == nil || !refused(err) {
			return t, err
		}
	}
	if !r.plain.Load() {
		if t, err := startInside(cmd, 0); err == nil || !refused(err) {
			return t, err
		}
	}
	mark := nextMark()
	cmd.Env = append(cmd.Env, mark)
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r.plain.Store(true)
	return &tree{process: cmd.Process, mark: mark}, nil
}

// startInside starts cmd in a PID namespace, and in the namespaces that more names.
func startInside(cmd exec.Cmd, more uintptr) (*tree, error) {
	cmd.SysProcAttr = namespaced()
	cmd.SysProcAttr.Cloneflags |= more
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{process: cmd.Process}, nil
}

// refused reports whether err can mean that namespaces are not to be had: forbidden, compiled out, too
// many, or forbidden by a filter.
func refused(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSPC, syscall.ENOSYS, syscall.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// attributes: a process group to end as one, and an end with Forge whatever ends Forge.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func namespaced() *syscall.SysProcAttr {
	a := attributes()
	a.Cloneflags = syscall.CLONE_NEWPID
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	return a
}

var marks atomic.Int64

// nextMark is unique among the processes alive: Forge's number, when it counted, and a count.
func nextMark() string {
	return "FORGE_PROCESS_TREE=" + strconv.Itoa(os.Getpid()) + "." +
		strconv.FormatInt(time.Now().UnixNano(), 36) + "." + strconv.FormatInt(marks.Add(1), 10)
}

// wait blocks until the process has ended, and leaves it a zombie: while it is one, its number cannot
// belong to anyone else, so that kill never hits a stranger.
func (t *tree) wait() {
	const pPID = 1
	var info [128]byte // siginfo_t, not read
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pPID, uintptr(t.process.Pid),
			uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return
		}
	}
}

// kill ends the tree and returns when its members are dead. In a namespace the first process takes the
// others along; it is not a zombie before they are gone.
func (t *tree) kill() {
	pid := t.process.Pid
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL) // it may have left its group
	if t.mark != "" {
		hunt(pid, t.mark)
	}
}

// reap gives the number back and notes how the process ended.
func (t *tree) reap() { t.state, _ = t.process.Wait() }

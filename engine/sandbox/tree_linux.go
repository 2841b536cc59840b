package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"forge/engine/sandbox/kernel"
)

// tree is a started process and all its children.
type tree struct {
	process *os.Process
	mark    string // environment entry of every member; empty in a namespace
	place   Place  // what the command sees elsewhere
	// supervisor changes attributes of files for the command; nil if it is in a mount namespace, or the kernel hands over no calls.
	supervisor *kernel.Supervisor
	state      *os.ProcessState // its end, after reap
}

// start starts cmd in namespaces, or with fewer of them if the kernel refuses. There is no separate probe: the first command is the
// probe.
func (r *runner) start(cmd exec.Cmd, limit time.Duration, p *policy) (*tree, Layers, error) {
	s := setup{limit: limit, mounted: p != nil, offline: p != nil && !p.network}
	var reason error
	for _, asUser := range r.ways() {
		t, err := launch(cmd, p, s, namespaced(s, asUser), "")
		if err == nil || !refused(err) {
			return t, layersOf(s, p, nil), err
		}
		reason = err
	}
	if reason == nil {
		reason = *r.plain.Load()
	}
	s.mounted = false
	if p != nil {
		p.linkHome()
		adopt()
	}
	if p != nil && !landlocked() {
		return nil, layersOf(s, p, reason), &UnconfinedError{Reason: refusalText(reason) + "; this kernel has no Landlock"}
	}
	t, err := launch(cmd, p, s, attributes(), nextMark())
	if mounts := (*unavailableError)(nil); err == nil && !errors.As(reason, &mounts) {
		r.plain.Store(&reason)
	}
	layers := layersOf(s, p, reason)
	if p != nil && err == nil && t.supervisor == nil && kernel.CanFilter() {
		layers.Missing = append(layers.Missing, "guard of modes, times and attributes of files (this kernel does not let Forge supervise system calls)")
	}
	return t, layers, err
}

// ways returns how namespaces may be made: by root itself, or else in a user namespace; none once they were refused.
func (r *runner) ways() []bool {
	switch {
	case r.plain.Load() != nil:
		return nil
	case os.Geteuid() == 0:
		return []bool{false, true}
	}
	return []bool{true}
}

// layersOf returns the layers of a command without a mount namespace for a reason, or with one.
func layersOf(s setup, p *policy, refusal error) (l Layers) {
	if p == nil {
		return Layers{}
	}
	note := func(is bool, name, reason string) {
		if is {
			l.Active = append(l.Active, name)
		} else {
			l.Missing = append(l.Missing, name+" ("+reason+")")
		}
	}
	why := ""
	if refusal != nil {
		why = refusalText(refusal)
	}
	note(s.mounted, "private file system and processes", why)
	note(landlocked(), "Landlock", "this kernel has none, or one older than Linux 5.19")
	note(kernel.CanFilter(), "system call filter", "this kernel has none")
	switch {
	case p.network:
		l.Missing = append(l.Missing, "network (granted)")
	case s.mounted:
		l.Active = append(l.Active, "private network")
	default:
		l.Active = append(l.Active, NoSockets)
	}
	l.Active = append(l.Active, "limits of resources")
	return l
}

// refusalText explains why there are no namespaces: the setting that forbids them, if there is one.
func refusalText(refusal error) string {
	for _, s := range [][2]string{{"kernel.apparmor_restrict_unprivileged_userns", "1"}, {"kernel.unprivileged_userns_clone", "0"}, {"user.max_user_namespaces", "0"}} {
		text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(s[0], ".", "/"))
		if err == nil && strings.TrimSpace(string(text)) == s[1] {
			return "no namespaces: " + s[0] + " is " + s[1]
		}
	}
	if call, is := errors.AsType[*fs.PathError](refusal); is {
		refusal = call.Err
	}
	return "no namespaces: " + refusal.Error()
}

// refused reports whether err can mean that namespaces are unavailable: forbidden, compiled out, too
// many, or forbidden by a filter. A program that cannot be executed is no refusal.
func refused(err error) bool {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Op == opExec {
		return false
	}
	if _, ok := errors.AsType[*unavailableError](err); ok {
		return true
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

// namespaced returns attributes with a PID namespace and, for a jail, with those that it needs. Users other than root need a user
// namespace for that; launch maps the user. The launcher keeps the privileges in that namespace which it needs to mount.
func namespaced(s setup, asUser bool) *syscall.SysProcAttr {
	a := attributes()
	a.Cloneflags = syscall.CLONE_NEWPID
	if s.mounted {
		a.Cloneflags |= syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	}
	if s.mounted && s.offline {
		a.Cloneflags |= syscall.CLONE_NEWNET
	}
	if asUser {
		a.Cloneflags |= syscall.CLONE_NEWUSER
	}
	if asUser && s.mounted {
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
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
		killTree(pid, t.mark)
	}
}

// reap releases the number and records the end of the process.
func (t *tree) reap() {
	t.state, _ = t.process.Wait()
	if t.supervisor != nil {
		t.supervisor.Close()
	}
	first.Delete(t.process.Pid)
}

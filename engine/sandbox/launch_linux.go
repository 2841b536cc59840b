package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"forge/engine/sandbox/kernel"
)

// self is this program, even if its file was replaced or deleted.
const self = "/proc/self/exe"

// opExec marks the error of a program that cannot be executed.
const opExec = "exec"

// launching is a launcher as Forge sees it.
type launching struct {
	launcher *exec.Cmd
	order    *os.File // Forge writes it
	status   *os.File // Forge reads it
	theirs   []*os.File
}

// launch starts cmd through a launcher with the given attributes and set-up, and returns when it is executed. An error means that
// there is no process.
func launch(cmd exec.Cmd, p *policy, s setup, attributes *syscall.SysProcAttr, mark string) (*tree, error) {
	o := order{path: cmd.Path, dir: cmd.Dir, args: cmd.Args, env: cmd.Env, setup: s}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setup.fenced, o.setup.jailed = landlocked(), p != nil
	if p != nil {
		o.entries, o.setup.own = p.entries, p.own
		cmd.Env = p.environ(cmd.Env, s.mounted)
	}
	if o.env = cmd.Environ(); mark != "" { // of duplicate names, the last one
		o.env = append(o.env, mark)
	}
	var place Place
	if p != nil && s.mounted && p.place != (Place{}) {
		place = p.place
		place.move(&o)
	}
	var reach []string // by real paths, as long as the command cannot exchange any
	if p != nil && !s.mounted {
		reach = realPaths(o.changeable())
	}
	l, err := newLaunching(cmd, attributes, mark)
	if err != nil {
		return nil, err
	}
	defer closeAll([]*os.File{l.order, l.status})
	err = l.launcher.Start()
	closeAll(l.theirs)
	if err != nil {
		return nil, err
	}
	t := &tree{process: l.launcher.Process, mark: mark, place: place}
	first.Store(t.process.Pid, true)
	listener, err := l.direct(o, attributes.Cloneflags&syscall.CLONE_NEWUSER != 0)
	if err == nil && listener != nil {
		t.supervisor, err = kernel.Supervise(listener, reach)
	}
	if err != nil {
		t.kill()
		t.reap()
		return nil, err
	}
	return t, nil
}

// newLaunching prepares a launcher: with the command's streams and folder, and an empty environment.
func newLaunching(cmd exec.Cmd, attributes *syscall.SysProcAttr, mark string) (_ *launching, err error) {
	l := &launching{launcher: &exec.Cmd{
		Path: self, Args: []string{launcherName}, Env: []string{}, Dir: cmd.Dir,
		Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, SysProcAttr: attributes,
	}}
	if mark != "" {
		l.launcher.Env = append(l.launcher.Env, mark)
	}
	orderEnd, order, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	status, statusEnd, err := kernel.Sockets()
	if err != nil {
		closeAll([]*os.File{orderEnd, order})
		return nil, err
	}
	l.order, l.status, l.theirs = order, status, []*os.File{orderEnd, statusEnd}
	l.launcher.ExtraFiles = l.theirs
	return l, nil
}

// direct guides the launcher: it starts, gets its user, gets its order, and becomes the command. It returns the listener of the
// command's filter, if there is one.
func (l *launching) direct(o order, ownUser bool) (listener *os.File, err error) {
	var first [1]byte
	if _, err := io.ReadFull(l.status, first[:]); err != nil || first[0] != launched {
		return nil, &launcherError{"it ended before it began"}
	}
	if ownUser {
		// Not by SysProcAttr: Forge is not dumpable, so its child's /proc belongs to root until it has executed the launcher.
		if err := mapUser(l.launcher.Process.Pid); err != nil {
			return nil, err
		}
	}
	if err := o.write(l.order); err != nil && !errors.Is(err, syscall.EPIPE) { // on EPIPE the status has the cause
		return nil, err
	}
	_ = l.order.Close() // already written
	said, listener, err := kernel.Receive(l.status)
	if err == nil {
		err = o.outcome(said)
	}
	if err != nil && listener != nil {
		_ = listener.Close()
	}
	return listener, err
}

// outcome interprets what the launcher reported: the command is executed, or an error.
func (o order) outcome(said []byte) error {
	failure, executed := bytes.CutPrefix(said, []byte{readyToExec})
	errno, err := strconv.Atoi(string(failure))
	switch {
	case executed && len(failure) == 0:
		return nil
	case executed && err == nil:
		return &fs.PathError{Op: opExec, Path: o.path, Err: syscall.Errno(errno)}
	case len(failure) == 0:
		return &launcherError{"it ended before the command began"}
	case err == nil:
		return &launcherError{syscall.Errno(errno).Error()}
	}
	if reason, is := strings.CutPrefix(string(failure), unavailable); is {
		return &unavailableError{errors.New(reason)}
	}
	return &launcherError{string(failure)}
}

// mapUser maps a process in its own user namespace to its former user and group.
func mapUser(pid int) error {
	uid, gid := os.Geteuid(), os.Getegid()
	for _, file := range []struct{ name, text string }{
		{"setgroups", "deny"}, {"uid_map", fmt.Sprintf("%d %d 1", uid, uid)}, {"gid_map", fmt.Sprintf("%d %d 1", gid, gid)},
	} {
		if err := os.WriteFile("/proc/"+strconv.Itoa(pid)+"/"+file.name, []byte(file.text), 0); err != nil {
			return err
		}
	}
	return nil
}

// launcherError is why a launcher could not confine itself: nothing was executed.
type launcherError struct{ reason string }

func (e *launcherError) Error() string { return "the process that confines it failed: " + e.reason }

package sandbox

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
)

// confined is what keeps a started command from the rest of the machine.
type confined struct {
	fence  *fence
	box    *box
	layers Layers
}

// release removes what was made for the command, after its end.
func (c confined) release() {
	c.fence.remove()
	c.box.remove()
}

// start starts a command as confined as it can be. There is no separate probe: the first command is the probe, and what the kernel
// refuses is not tried again.
func (r *runner) start(c Command, cmd exec.Cmd) (*tree, error) {
	if c.Box != nil && r.boxless.Load() == nil && !r.plain.Load() {
		t, err := r.startBoxed(c, cmd)
		if why := notBoxed(err); why == "" {
			return t, err
		} else {
			r.boxless.Store(&why)
		}
	}
	return r.startFenced(c, cmd)
}

// notBoxed returns why no box could be made, or "" if the error has another reason, or is nil.
func notBoxed(err error) string {
	if failed, ok := errors.AsType[*launcherError](err); ok && strings.HasPrefix(failed.reason, boxed) {
		return strings.TrimPrefix(failed.reason, boxed)
	}
	if err != nil && refused(err) {
		return "this system refuses namespaces"
	}
	return ""
}

// startBoxed starts a command in its box, without overlays if they are refused.
func (r *runner) startBoxed(c Command, cmd exec.Cmd) (*tree, error) {
	flat := r.flat.Load()
	t, err := r.tryBox(c, cmd, !flat)
	if why := notBoxed(err); !flat && strings.HasPrefix(why, overlaying) {
		r.flat.Store(true)
		return r.tryBox(c, cmd, false)
	}
	return t, err
}

// tryBox starts a command in its box.
func (r *runner) tryBox(c Command, cmd exec.Cmd, overlays bool) (_ *tree, err error) {
	made := confined{layers: Layers{Files: "mounts", Processes: true, Calls: hasFilter}}
	if made.box, err = newBox(c, &cmd, overlays); err != nil {
		return nil, err
	}
	if made.fence, err = fenceFor(c, &cmd, made.box); err != nil {
		made.release()
		return nil, err
	}
	o := boxOrder{View: &made.box.view, Filter: hasFilter, Internet: true, Local: true}
	spaces := uintptr(syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC)
	if !c.Box.Network {
		spaces |= syscall.CLONE_NEWNET
		o.Loopback, made.layers.Network = true, "namespace"
	}
	attributes := namespaced(spaces)
	if attributes.Cloneflags&syscall.CLONE_NEWUSER != 0 {
		attributes.AmbientCaps = forViews // a launcher that is not root would lose them when it is executed
	}
	t, err := launch(cmd, made.fence, o, attributes, "")
	if err != nil {
		made.release()
		return nil, err
	}
	t.confined = made
	return t, nil
}

// startFenced starts a command that can write nothing of what is guarded: in a PID namespace, or without one if the kernel refuses.
func (r *runner) startFenced(c Command, cmd exec.Cmd) (*tree, error) {
	made := confined{}
	var err error
	if made.fence, err = fenceFor(c, &cmd, nil); err != nil {
		return nil, &fenceError{err}
	}
	offline := c.Offline || c.Box != nil && !c.Box.Network
	t, err := r.inNamespaces(cmd, made.fence, offline)
	if err != nil {
		made.release()
		return nil, err
	}
	if made.fence != nil {
		made.layers.Files = "landlock"
	}
	made.layers.Processes = t.mark == ""
	if why := r.boxless.Load(); why != nil && c.Box != nil {
		made.layers.Missing = *why
	}
	t.confined = made
	return t, nil
}

// inNamespaces starts a command in a PID namespace, and in a network namespace if it is offline, as far as the kernel permits it.
func (r *runner) inNamespaces(cmd exec.Cmd, f *fence, offline bool) (*tree, error) {
	none := boxOrder{}
	if offline && !r.plain.Load() {
		if t, err := launch(cmd, f, none, namespaced(syscall.CLONE_NEWNET), ""); err == nil || !refused(err) {
			return t, err
		}
	}
	if !r.plain.Load() {
		if t, err := launch(cmd, f, none, namespaced(0), ""); err == nil || !refused(err) {
			return t, err
		}
	}
	t, err := launch(cmd, f, none, attributes(), nextMark())
	if err == nil {
		r.plain.Store(true)
	}
	return t, err
}

// forViews are the capabilities with which a launcher makes its view: CAP_DAC_OVERRIDE, CAP_NET_ADMIN and CAP_SYS_ADMIN.
var forViews = []uintptr{1, 12, 21}

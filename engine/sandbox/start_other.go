//go:build !linux

package sandbox

import (
	"os"
	"os/exec"
)

// confined is what keeps a started command from the rest of the machine.
type confined struct {
	layers Layers
	remove func()
}

func (c confined) release() {
	if c.remove != nil {
		c.remove()
	}
}

func confinement() Confinement { return None }

// start starts a command in its box, as far as the system has one.
func (r *runner) start(c Command, cmd exec.Cmd) (*tree, error) {
	made := confined{layers: Layers{Missing: "this system confines no files"}}
	if c.Box != nil {
		made = box(c, &cmd)
	}
	t, err := startTree(&cmd)
	if err != nil {
		made.release()
		return nil, err
	}
	t.confined = made
	return t, nil
}

// privateFolder creates a folder for a command's HOME or temporary files.
func privateFolder() (path string, remove func(), err error) {
	path, err = os.MkdirTemp("", "forge-box-")
	return path, func() { _ = os.RemoveAll(path) }, err
}

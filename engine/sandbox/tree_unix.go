//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// tree is a started process and everything in its process group, which is a separate session without a terminal. A child that
// called setsid is not found on this system.
type tree struct {
	process *os.Process
	place   Place            // zero: nothing is mounted
	state   *os.ProcessState // its end, after wait
}

func (r *runner) start(cmd exec.Cmd, _ time.Duration, p *policy) (*tree, Layers, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err := cmd.Start()
	var layers Layers
	if p != nil {
		layers = Layers{Active: []string{"sandbox-exec"}, Missing: []string{"private network (this system has none: 127.0.0.1 is the user's)"}}
	}
	return &tree{process: cmd.Process}, layers, err
}

func (t *tree) wait() { t.state, _ = t.process.Wait() }

func (t *tree) kill() { _ = syscall.Kill(-t.process.Pid, syscall.SIGKILL) }

func (t *tree) reap() {}

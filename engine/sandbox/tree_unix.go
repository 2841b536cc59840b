//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// tree is a started process and everything in its process group, which is a separate session without a terminal. A child that
// called setsid is not found on this system.
type tree struct {
	process *os.Process
	state   *os.ProcessState // its end, after wait

	confined confined
}

func startTree(cmd *exec.Cmd) (*tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err := cmd.Start()
	return &tree{process: cmd.Process}, err
}

func (t *tree) wait() { t.state, _ = t.process.Wait() }

func (t *tree) kill() { _ = syscall.Kill(-t.process.Pid, syscall.SIGKILL) }

func (t *tree) reap() {}

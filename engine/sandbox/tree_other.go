//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

// tree is only the started process: process groups are not supported on this system yet.
type tree struct {
	process *os.Process
	state   *os.ProcessState // its end, after wait

	confined confined
}

func startTree(cmd *exec.Cmd) (*tree, error) {
	err := cmd.Start()
	return &tree{process: cmd.Process}, err
}

func (t *tree) wait() { t.state, _ = t.process.Wait() }

func (t *tree) kill() { _ = t.process.Kill() }

func (t *tree) reap() {}

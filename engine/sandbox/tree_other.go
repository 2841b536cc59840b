//go:build !unix

package sandbox

import (
	"io"
	"os"
	"os/exec"
	"time"
)

// tree is only the started process: process groups are not supported on this system yet.
type tree struct {
	process *os.Process
	place   Place            // zero: nothing is mounted
	state   *os.ProcessState // its end, after wait
}

func (r *runner) start(cmd exec.Cmd, _ time.Duration, _ *policy) (*tree, Layers, error) {
	err := cmd.Start()
	return &tree{process: cmd.Process}, Layers{}, err
}

func (t *tree) wait() { t.state, _ = t.process.Wait() }

func (t *tree) kill() { _ = t.process.Kill() }

func (t *tree) reap() {}

// giveWay does nothing: this system offers no lower priority yet.
func (t *tree) giveWay() {}

// drain reads nothing: pipes of this system have no deadlines.
func drain(io.Writer, *os.File) {}

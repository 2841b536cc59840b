package engine

import (
	"context"

	"forge/engine/event"
)

// NewRun returns a run that somebody else drives, and the function that ends it. The engine makes its
// runs with it, and so do tests of fronts, which need a run without an engine. cancel is what Cancel
// calls; finish must be called exactly once, after log has its RunEnded.
func NewRun(id, task, root string, log *event.Log, cancel context.CancelFunc) (run *Run, finish func(Result)) {
	run = &Run{ID: id, Task: task, Root: root, Log: log, cancel: cancel, done: make(chan struct{})}
	return run, func(result Result) {
		run.result = result
		close(run.done)
	}
}

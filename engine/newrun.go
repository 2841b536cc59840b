package engine

import (
	"context"

	"forge/engine/event"
)

// NewRun returns a run that somebody else drives, and the function that ends it, which must be called
// exactly once: tests of fronts need runs without an engine. cancel is what Cancel, Pause and Leave call.
func NewRun(id, task, root string, log *event.Log, cancel context.CancelFunc) (run *Run, end func(Result)) {
	run = &Run{ID: id, Task: task, Root: root, Log: log, cancel: func(error) { cancel() }, done: make(chan struct{})}
	return run, run.end
}

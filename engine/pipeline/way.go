package pipeline

import (
	"fmt"

	"forge/engine/mode"
	"forge/engine/step"
)

// way decides how the change of the run is asked for.
func (r *run) way() mode.Way {
	return mode.Choose(r.task.Profile, r.task.Mode, r.task.Recipe, !r.task.NoTests)
}

// DefaultSteps is how many exchanges with models a run may have where nothing else is said.
const DefaultSteps = 50

// count counts an exchange with a model that is about to be. Where the run may have no more, a person must say so: each time the run
// is tried again it may have as many.
func (r *run) count() step.Outcome {
	most := r.Steps
	if most <= 0 {
		most = DefaultSteps
	}
	most *= 1 + len(r.Retries)
	if r.steps >= most {
		return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("the run has had all %d exchanges with models that it may have (limits.steps). Resume it, and it may have as many again", most)}
	}
	r.steps++
	return step.Outcome{}
}

// DefaultToolCalls is how many tools a run may use in turns where nothing else is said.
const DefaultToolCalls = 100

func (r *run) toolCalls() int {
	if r.ToolCalls > 0 {
		return r.ToolCalls
	}
	return DefaultToolCalls
}

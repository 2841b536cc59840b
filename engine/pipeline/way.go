package pipeline

import "forge/engine/mode"

// way decides how the change of the run is asked for.
func (r *run) way() mode.Way {
	return mode.Choose(r.task.Profile, r.task.Mode, r.task.Recipe, !r.task.NoTests)
}

// DefaultToolCalls is how many tools a run may use in turns where nothing else is said.
const DefaultToolCalls = 100

func (r *run) toolCalls() int {
	if r.ToolCalls > 0 {
		return r.ToolCalls
	}
	return DefaultToolCalls
}

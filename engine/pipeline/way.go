package pipeline

import (
	"forge/engine/mode"
	"forge/engine/prompt"
)

// way decides how the change of the run is asked for.
func (r *run) way() mode.Way {
	return mode.Choose(r.task.Profile, r.task.Mode, r.task.Recipe, !r.task.NoTests)
}

// layer is what every model of the run is told of its mode. It stands with what is stable, and is never cut.
func (r *run) layer() prompt.Section {
	return prompt.Section{Kind: prompt.Guides, Name: "How you work", Text: r.task.Mode.Layer}
}

// DefaultToolCalls is how many tools a run may use in turns where nothing else is said.
const DefaultToolCalls = 100

func (r *run) toolCalls() int {
	if r.ToolCalls > 0 {
		return r.ToolCalls
	}
	return DefaultToolCalls
}

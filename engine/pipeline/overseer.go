package pipeline

import (
	"context"

	"forge/engine/graph"
	"forge/engine/prompt"
)

// diagnosis is what went wrong with an attempt, for the next one.
type diagnosis struct {
	advice []prompt.Section // of the documents of the next attempt
	read   []string         // files that must be read before it
}

// diagnose looks at why the last attempt was not accepted (run.why). The outcome is Done where another attempt may help.
func (r *run) diagnose(_ context.Context, _ graph.Node) (diagnosis, graph.Outcome) {
	return diagnosis{}, graph.Outcome{Status: graph.Done}
}

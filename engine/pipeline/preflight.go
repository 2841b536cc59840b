package pipeline

import (
	"context"
	"fmt"

	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// maxLooks limits how often a user may report that a missing program is now installed.
const maxLooks = 5

// preflight determines, before any model is called, which required gates lack a program, and asks the user about all of them in one
// question. If some required gate can run, the run continues without an answer, and reports what was not checked; if none can, the
// run stops before it costs anything.
func (or *orchestrator) preflight(ctx context.Context, n graph.Node) graph.Outcome {
	for look := range maxLooks {
		lacks, err := step.ActivityPreflight.Call(ctx, or.run.Flow, work.At(n), work.Again(fmt.Sprintf("preflight/%d", look+1), or.run.Retried(n)), step.PreflightCall{State: or.run.Folder(), Gates: or.run.Project.Required()})
		switch {
		case err != nil:
			return work.Failed("look for the programs of gates", err)
		case len(lacks) == 0:
			return graph.Outcome{Status: graph.Done}
		}
		again, o := or.questions.AskAboutLacks(ctx, n, lacks)
		if !again {
			return o
		}
	}
	return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("stopped before a model was asked: programs are still missing after %d looks", maxLooks)}
}

package pipeline

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// maxLooks limits how often a user may report that a missing program is now installed.
const maxLooks = 5

// preflight determines, before any model is called, which gates lack a program, or in part a package. It reports those that are not required, and asks the user about all
// that are in one question. If some required gate can run, the run continues without an answer, and reports what was not checked; if none can, the
// run stops before it costs anything.
func (or *orchestrator) preflight(ctx context.Context, n graph.Node) graph.Outcome {
	for look := range maxLooks {
		lacks, err := step.ActivityPreflight.Call(ctx, or.run.Flow, work.At(n), work.Again(fmt.Sprintf("preflight/%d", look+1), or.run.Retried(n)), step.PreflightCall{State: or.run.Folder(), Gates: or.gatesInOrder()})
		if err != nil {
			return work.Failed("look for the programs of gates", err)
		}
		or.run.Partial = slices.DeleteFunc(slices.Clone(lacks), func(l step.Lack) bool { return !l.Partly })
		lacks = slices.DeleteFunc(lacks, func(l step.Lack) bool {
			required := or.run.Project.Weights[l.Gate] == gate.Required
			if !required && look == 0 && !l.Partly {
				or.reportLack(n, l)
			}
			return !required
		})
		if len(lacks) == 0 {
			return graph.Outcome{Status: graph.Done}
		}
		again, o := or.questions.AskAboutLacks(ctx, n, lacks)
		if !again {
			return o
		}
	}
	return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("stopped before a model was called: programs are still missing after %d checks", maxLooks)}
}

// gatesInOrder returns all gates, the required ones first: the time to look for programs is limited.
func (or *orchestrator) gatesInOrder() []string {
	required := or.run.Project.Required()
	return append(slices.Clone(required), slices.DeleteFunc(slices.Clone(or.run.Project.Gates), func(g string) bool { return slices.Contains(required, g) })...)
}

// reportLack reports that a gate will not run, once in a run.
func (or *orchestrator) reportLack(n graph.Node, l step.Lack) {
	or.run.Absent = append(or.run.Absent, l.Gate)
	r := gate.Report{Gate: l.Gate, Weight: or.run.Project.Weights[l.Gate]}
	l.NotRun(&r)
	or.run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: r})
}

package pipeline

import (
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

const gateNoop = "noop"

// noop is what follows when the model says that it is done and has changed nothing, though the task wants a change: the gate
// noop fails. Another attempt is told so; after the last one the run is blocked, for only a person can say who is right.
func (a *attempt) noop(n graph.Node, said string) step.Outcome {
	reason := "the model says that the work is done, and has changed nothing"
	if said = strings.TrimSpace(said); said != "" {
		reason += ": " + digest(said, 300)
	}
	a.idle = reason
	a.run.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: gateNoop, Index: 1, Of: 1})
	a.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: gateNoop, Verdict: gate.Fail, Executed: 1, Summary: digest(reason, 200),
		Findings: []gate.Finding{{Severity: gate.SeverityError, Rule: gateNoop, Message: reason}},
	}})
	return step.Outcome{Signal: step.Retryable, Reason: reason}
}

// demandChange sees to it that an attempt's result has more in it than the tests that were written for it: edits that undo each
// other are no work.
func (x *executor) demandChange(n graph.Node, changes patch.ChangeSet) step.Outcome {
	for _, f := range changes.Files {
		if x.job.recipe().OnlyTests() || !x.tested.justTests(f) {
			return step.Outcome{}
		}
	}
	return x.now.noop(n, "what it changed is what was there before")
}

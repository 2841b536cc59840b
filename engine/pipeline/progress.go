package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
)

// judge adds an attempt to those that were made, reports its result, and lets memory learn of it. An attempt is judged once.
// The error is for what could not be journaled.
func (dg *diagnosis) judge(ctx context.Context, n graph.Node, reason string, reports []gate.Report) error {
	if len(dg.history.tries) > 0 && dg.history.tries[len(dg.history.tries)-1].attempt == dg.now.number {
		return nil
	}
	dg.history.closeDraft(reason, reports)
	dg.history.add(try{
		attempt: dg.now.number, reason: reason, reports: reports, tree: dg.now.tree, edits: dg.now.edits, result: dg.now.resulted, outcome: overseer.AttemptOf(reports),
	})
	a := dg.history.assess()
	last := dg.history.tries[len(dg.history.tries)-1].outcome
	failures := slices.Clone(last.Failures)
	slices.Sort(failures)
	dg.run.Tell(event.AttemptJudged{
		Part: dg.job.id, Attempt: dg.now.number, Of: dg.run.attempts(), Passed: last.Passed, Total: last.Total, Score: a.Score, Velocity: a.Velocity,
		Failures: failures, Stagnation: stagnation(a), Recommendation: string(a.Recommendation),
	})
	return dg.learn(ctx, n)
}

func stagnation(a overseer.Assessment) string {
	switch {
	case a.Same:
		return "same failures"
	case a.Oscillating:
		return "oscillation"
	case a.Plateau:
		return "no progress"
	}
	return ""
}

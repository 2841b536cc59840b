package pipeline

import (
	"context"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/pipeline/work"
)

// judge adds a finished attempt, reports its result, and lets memory learn from it. An attempt is judged once. The error is
// for a journal that failed.
func (dg *diagnosis) judge(ctx context.Context, n graph.Node, reason string, reports []gate.Report) error {
	if len(dg.History.Verdicts) > 0 && dg.History.Verdicts[len(dg.History.Verdicts)-1].Attempt == dg.Now.Number {
		return nil
	}
	dg.History.CloseDraft(reason, reports)
	dg.History.Add(work.Verdict{
		Attempt: dg.Now.Number, Reason: reason, Reports: reports, Tree: dg.Now.Tree, Edits: dg.Now.Edits, Result: dg.Now.Resulted, Outcome: overseer.AttemptOf(reports),
	})
	a := dg.History.Assess()
	last := dg.History.Verdicts[len(dg.History.Verdicts)-1].Outcome
	failures := slices.Clone(last.Failures)
	slices.Sort(failures)
	dg.Run.Emit(event.AttemptJudged{
		Part: dg.Job.ID, Attempt: dg.Now.Number, Of: dg.Run.AllAttempts(), Passed: last.Passed, Total: last.Total, Score: a.Score, Velocity: a.Velocity,
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

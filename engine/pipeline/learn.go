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

// learn passes the gates' reports on the latest attempt to memory, and reports the changed patterns. If memory cannot store it,
// nothing is learned, and the run continues. The error is for a journal that failed.
func (dg *diagnosis) learn(ctx context.Context, n graph.Node) error {
	t := dg.History.Last()
	call := step.LearnCall{
		Node: dg.Job.Node(Writing), Attempt: t.Attempt, Passed: t.Outcome.Passed, Total: t.Outcome.Total, Failures: t.Outcome.Failures,
		Reason: t.Reason, Class: dg.class, Accepted: t.Reason == "", Touched: dg.History.Touched(),
	}
	for _, report := range t.Reports {
		if slices.Contains(dg.Run.Project.Gates, report.Gate) {
			call.Reports = append(call.Reports, brief(report))
		}
	}
	if len(dg.History.Verdicts) > 1 && len(call.Reports) > 0 {
		before := dg.History.Verdicts[len(dg.History.Verdicts)-2].Outcome.Failures
		call.Resolved = slices.DeleteFunc(slices.Clone(before), func(id string) bool { return slices.Contains(t.Outcome.Failures, id) })
		call.Fix = work.Clip(dg.Now.Changes.Unified(1))
	}
	learned, err := step.ActivityLearn.Call(ctx, dg.Run.Flow, work.At(n), "learn", call)
	if _, refused := work.AsFailure(err); refused || err == nil && len(learned.Patterns) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("learn from attempt %d: %w", t.Attempt, err)
	}
	told := event.Learned{Part: dg.Job.ID, Attempt: t.Attempt}
	for _, p := range learned.Patterns {
		told.Patterns = append(told.Patterns, event.LearnedPattern(p))
	}
	dg.Run.Emit(told)
	return nil
}

// brief returns a report without its long parts.
func brief(r gate.Report) gate.Report {
	r.Output, r.Findings, r.Held = "", nil, nil
	return r
}

package pipeline

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

// learn hands what the gates said of the latest attempt to memory, and reports the patterns that this has moved. Where memory cannot keep it
// nothing is learned, and the run goes on. The error is for what could not be journaled.
func (dg *diagnosis) learn(ctx context.Context, n graph.Node) error {
	t := dg.history.lastTry()
	call := step.LearnCall{
		Node: dg.job.node(Writing), Attempt: t.attempt, Passed: t.outcome.Passed, Total: t.outcome.Total, Failures: t.outcome.Failures,
		Reason: t.reason, Class: dg.class, Accepted: t.reason == "", Touched: dg.history.touched(),
	}
	for _, report := range t.reports {
		if slices.Contains(dg.run.Project.Gates, report.Gate) {
			call.Reports = append(call.Reports, brief(report))
		}
	}
	if len(dg.history.tries) > 1 && len(call.Reports) > 0 {
		before := dg.history.tries[len(dg.history.tries)-2].outcome.Failures
		call.Resolved = slices.DeleteFunc(slices.Clone(before), func(id string) bool { return slices.Contains(t.outcome.Failures, id) })
		call.Fix = clip(dg.now.changes.Unified(1))
	}
	learned, err := step.ActivityLearn.Call(ctx, dg.run.Flow, at(n), "learn", call)
	if _, refused := asFailure(err); refused || err == nil && len(learned.Patterns) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("learn from attempt %d: %w", t.attempt, err)
	}
	told := event.Learned{Part: dg.job.id, Attempt: t.attempt}
	for _, p := range learned.Patterns {
		told.Patterns = append(told.Patterns, event.LearnedPattern(p))
	}
	dg.run.Tell(told)
	return nil
}

// brief is a report without what is long.
func brief(r gate.Report) gate.Report {
	r.Output, r.Findings, r.Held = "", nil, nil
	return r
}

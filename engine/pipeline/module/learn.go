package module

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/overseer"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// learn passes the gates' reports on the latest attempt to memory, and reports the changed patterns. If memory cannot store it,
// nothing is learned, and the run continues. The error is for a journal that failed.
func (dg *diagnosis) learn(ctx context.Context, n graph.Node) error {
	t := dg.History.Last()
	reports := dg.ofGates(t.Reports)
	call := step.LearnCall{
		Node: dg.Job.Node(work.NodeExecutor), Attempt: t.Attempt, Passed: t.Outcome.Passed, Total: t.Outcome.Total, Failures: t.Outcome.Failures,
		Reason: t.Reason, Class: dg.class, Accepted: t.Reason == "", Touched: dg.touched(),
		Causes: overseer.CausesOf(reports), Lessons: dg.lessons(reports),
	}
	for _, report := range reports {
		call.Reports = append(call.Reports, brief(report))
	}
	for _, l := range dg.Run.Brief.Lessons {
		call.Shown = append(call.Shown, l.Source)
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

// ofGates returns the reports of the project's gates: a reviewer, and rules of the run itself, teach nothing.
func (dg *diagnosis) ofGates(reports []gate.Report) (some []gate.Report) {
	for _, report := range reports {
		if slices.Contains(dg.Run.Project.Gates, report.Gate) {
			some = append(some, report)
		}
	}
	return some
}

// touched returns the files that the attempt changes; for joined parts, those of the parts.
func (dg *diagnosis) touched() []string {
	paths := dg.History.Touched()
	if len(paths) > 0 {
		return paths
	}
	for _, set := range dg.History.Last().Tree.Changes {
		for _, f := range set.Files {
			paths = work.Union(paths, []string{f.Path})
		}
	}
	return paths
}

// lessons returns what the attempt teaches together with the last one before it that gates have judged.
func (dg *diagnosis) lessons(reports []gate.Report) []overseer.Lesson {
	earlier := dg.History.Verdicts[:len(dg.History.Verdicts)-1]
	for _, before := range slices.Backward(earlier) {
		failed, draft := dg.ofGates(before.Reports), dg.History.DraftOf(before.Attempt)
		if len(failed) > 0 && draft != nil {
			return overseer.LessonsOf(failed, reports, draft.Changes, dg.Now.Changes, dg.Run.Project.IsTest)
		}
	}
	return nil
}

// brief returns a report without its long parts.
func brief(r gate.Report) gate.Report {
	r.Output, r.Findings, r.PassedTests = "", nil, nil
	return r
}

package pipeline

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/step"
	"forge/patch"
)

// seeRedAgain looks at tests of parts that were changed when the parts were put together: taken away what a part is for, its tests must
// not pass. So no test is made to hold by taking out what it asks for.
func (r *reds) seeRedAgain(ctx context.Context, n graph.Node) step.Outcome {
	changed := changedPaths(r.now.made())
	rewritten := func(path string) bool { return r.run.Project.IsTest(path) && slices.Contains(changed, path) } // those in code are kept anyway
	for _, part := range r.run.parts {
		if part.job.part == nil || part.tested.tests == nil || !slices.ContainsFunc(changedPaths(*part.tested.tests), rewritten) {
			continue
		}
		for _, red := range part.tested.red {
			if o := r.stillRed(ctx, n, part, red); o.Signal != step.Success {
				return o
			}
		}
	}
	return step.Outcome{}
}

// stillRed runs a suite on the result without what a part is for, and demands that none of the part's tests passes.
func (r *reds) stillRed(ctx context.Context, n graph.Node, part *module, red integrity.Red) step.Outcome {
	report, err := r.gates.runGateIn(ctx, n, "red again/"+part.job.id, red.Gate, r.run.base().With(r.without(part)), r.checker.wide(red.Gate))
	if err != nil {
		return r.run.unable(ctx, err)
	}
	said := gate.Report{Gate: "red", Verdict: gate.Pass, Executed: max(1, len(red.Tests)), Passed: max(1, len(red.Tests)), Command: report.Command, Elapsed: report.Elapsed,
		Summary: fmt.Sprintf("without what %s is for its tests do not pass", part.job.id)}
	find := func(test, format string, args ...any) {
		said.Findings = append(said.Findings, gate.Finding{Severity: gate.SeverityError, Rule: "red", Test: test, Message: fmt.Sprintf(format, args...)})
	}
	for _, test := range red.Tests {
		if slices.Contains(report.Held, test) {
			find(test, "%s passes without what %s is for: it was made to ask for less", test, part.job.id)
		}
	}
	switch {
	case report.Verdict != gate.Pass && report.Verdict != gate.Fail:
		find("", "the tests of %s were changed, and could not be run without what it is for: %s", part.job.id, report.Summary)
	case report.Verdict == gate.Pass && len(said.Findings) == 0: // they have no names, or are not executed
		find("", "the tests of %s were changed, and all tests pass without what it is for", part.job.id)
	}
	if len(said.Findings) > 0 {
		said.Verdict, said.Passed, said.Summary = gate.Fail, max(0, len(red.Tests)-len(said.Findings)), digest(said.Findings[0].Message, 200)
	}
	r.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: said})
	if said.Verdict == gate.Fail {
		return step.Outcome{Signal: step.Retryable, Reason: said.Findings[0].Message}
	}
	return step.Outcome{}
}

// without is the result of the attempt with the code of a part as it was when the part began.
func (r *reds) without(part *module) patch.ChangeSet {
	own := changedPaths(part.now.made())
	isCode := func(f patch.FileChange) bool { return slices.Contains(own, f.Path) && !r.run.Project.IsTest(f.Path) }
	rest := patch.ChangeSet{Files: slices.DeleteFunc(slices.Clone(r.now.changes.Files), isCode)}
	for _, f := range part.begin.given.Files {
		if isCode(f) {
			rest.Files = append(rest.Files, f)
		}
	}
	return rest
}

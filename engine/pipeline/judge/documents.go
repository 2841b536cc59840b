package judge

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

const gateCode = "code"

// OnlyDocuments is what follows where a part of a plan that documents has changed code: the gate code fails, and so does the attempt. What a
// planner calls a part takes nothing out of tests first. A task that is documentation itself is the user's word, and none of a model's.
func (c *Checker) OnlyDocuments(ctx context.Context, n graph.Node) step.Outcome {
	if c.Job.Part == nil || c.Job.Recipe() != mode.Document || c.Run.Task.Recipe == mode.Document {
		return step.Outcome{}
	}
	paths := work.Union(nil, work.ChangedPaths(work.Since(c.Now.Tree, len(c.Start.Tree.Changes))))
	changed, err := step.ActivityCode.Call(ctx, c.Run.Flow, work.At(n), "code", step.CodeCall{Before: c.Start.Tree, After: c.Now.Tree, Paths: paths})
	if err != nil {
		return work.Unable(ctx, err)
	}
	report := gate.Report{
		Gate: gateCode, Verdict: gate.Pass, Executed: len(paths), Passed: len(paths) - len(changed), Summary: "documents and comments have changed, and no code",
	}
	for _, path := range changed {
		report.Findings = append(report.Findings, gate.Finding{
			Path: path, Line: 1, Severity: gate.SeverityError, Rule: gateCode, Message: "a part of the type document changes code, or what cannot be told from code",
		})
	}
	if len(changed) > 0 {
		report.Verdict = gate.Fail
		report.Summary = fmt.Sprintf("the part is of the type document, and what it changes in %s is code, or cannot be told from code", strings.Join(changed, ", "))
	}
	c.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	if report.Verdict == gate.Pass {
		return step.Outcome{}
	}
	return step.Outcome{Signal: step.Retryable, Reason: report.Summary + `: change documents and comments only, or say in "blocked" what must be changed there by a part with tests`}
}

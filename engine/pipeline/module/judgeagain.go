package module

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// judgeAgain makes the best draft the result of an attempt: the review runs the current gates on it. If the user has changed files
// since, it is judged on those, unless the draft changes the same ones.
func (x *executor) judgeAgain(ctx context.Context, n graph.Node) graph.Outcome {
	d := *x.History.BestBefore(n.Attempt)
	x.Now.Reopen(d)
	x.Tests.Reopen(d)
	o := x.onNewFiles(ctx, n, x.History.NewBase(n.Attempt))
	x.History.KeepDraft(x.Now.Changes)
	if o.Signal == step.Success {
		o = x.keepRed(ctx, n)
	}
	if o.Signal != step.Success {
		return x.again(ctx, n, o)
	}
	return graph.Outcome{Status: graph.Done, Reason: fmt.Sprintf("the change of attempt %d is checked again, and no model is asked", d.Attempt)}
}

// onNewFiles moves the attempt, and all later ones, to the user's current files, with a new baseline. Parts of a plan stay where
// they are, because they must fit each other.
func (x *executor) onNewFiles(ctx context.Context, n graph.Node, base string) step.Outcome {
	if base == "" || base == cmp.Or(x.History.Moved, x.Run.Base) || len(x.Run.Parts) > 0 {
		return step.Outcome{}
	}
	now := step.State{Base: base}
	if fits, err := x.Now.FitsOn(ctx, n, now); err != nil {
		return work.Unable(ctx, err)
	} else if !fits {
		return step.Outcome{}
	}
	if err := x.gates.Join(ctx); err != nil {
		return work.Unable(ctx, err)
	}
	before, err := x.gates.CheckUntil(ctx, n, x.Run.First(), func(g string, _, _ int) (gate.Report, error) { return x.gates.RunGate(ctx, n, "before", g, now) },
		func(gate.Report) bool { return false })
	if err != nil || ctx.Err() != nil {
		return work.Unable(ctx, errors.Join(err, context.Cause(ctx)))
	}
	for _, report := range before {
		x.gates.Renew(report)
	}
	x.History.Moved, x.Now.Tree = base, now.With(x.Now.Changes)
	x.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: "files", Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "your files have changed since: the run continues with the current ones",
	}})
	return step.Outcome{}
}

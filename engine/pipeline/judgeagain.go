package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
	"forge/patch"
)

// toJudge is the executor's start in which the best draft of a module is judged again when the run is resumed: no model is asked, for settings,
// tools and files may have changed since. It is zero where there is no such draft, or where gates had nothing against it.
func (m *module) toJudge(stuck []graph.Node) (step.Place, bool) {
	var attempt int
	switch at := slices.IndexFunc(stuck, func(n graph.Node) bool { return m.run.moduleOf(n) == m }); {
	case m.history.usedUp:
		attempt = m.now.number + 1
	case m.history.decided && m.history.wanting == "" && at >= 0: // a question comes first: what is answered is for the attempt that asked
		attempt = stuck[at].Attempt
	default:
		return step.Place{}, false
	}
	d := m.history.bestBefore(attempt)
	if d == nil || gate.Open(d.checked) && d.refused != "" {
		return step.Place{}, false
	}
	return step.Place{Node: m.job.node(nodeExecutor), Attempt: attempt}, true
}

// judged is which retry has the module's best draft judged in an attempt, from 1; 0 where none does.
func (h *history) judgedBy(attempt int) int {
	place := step.Place{Node: h.job.node(nodeExecutor), Attempt: attempt}
	at := slices.IndexFunc(h.run.Retries, func(r Retry) bool { return slices.Contains(r.Judge, place) })
	if h.bestBefore(attempt) == nil {
		return 0
	}
	return at + 1
}

// judgeAgain makes the best draft that there is the result of an attempt: the review runs gates on it as they are now. Where the user has
// changed their files since, it is judged on those, unless the draft changes the same ones.
func (x *executor) judgeAgain(ctx context.Context, n graph.Node) graph.Outcome {
	d := *x.history.bestBefore(n.Attempt)
	x.now.reopen(d)
	x.tested.reopen(d)
	o := x.onNewFiles(ctx, n, x.history.newBase(n.Attempt))
	x.history.keepDraft(x.now.changes)
	if o.Signal == step.Success {
		o = x.joiner.keepRed(ctx, n)
	}
	if o.Signal != step.Success {
		return x.again(ctx, n, o)
	}
	return graph.Outcome{Status: graph.Done, Reason: fmt.Sprintf("the change of attempt %d is checked again, and no model is asked", d.attempt)}
}

// newBase is the snapshot of the user's files as they were when the run was resumed to judge an attempt; empty where there is none.
func (h *history) newBase(attempt int) string {
	if by := h.judgedBy(attempt); by > 0 && by <= len(h.run.Again) {
		return h.run.Again[by-1]
	}
	return ""
}

// onNewFiles moves the attempt, and all after it, to the user's files as they are now, with a baseline of their own. Parts of a plan stay
// where they are, for they have to fit each other.
func (x *executor) onNewFiles(ctx context.Context, n graph.Node, base string) step.Outcome {
	if base == "" || base == cmp.Or(x.history.moved, x.run.Base) || len(x.run.parts) > 0 {
		return step.Outcome{}
	}
	now := step.State{Base: base}
	if fits, err := x.now.fitsOn(ctx, n, now); err != nil {
		return x.run.unable(ctx, err)
	} else if !fits {
		return step.Outcome{}
	}
	before, err := x.gates.checkUntil(ctx, n, x.run.Project.first(), func(g string, _, _ int) (gate.Report, error) { return x.gates.runGate(ctx, n, "before", g, now) },
		func(gate.Report) bool { return false })
	if err != nil || ctx.Err() != nil {
		return x.run.unable(ctx, errors.Join(err, context.Cause(ctx)))
	}
	for _, report := range before {
		x.gates.renew(report)
	}
	x.history.moved, x.now.tree = base, now.With(x.now.changes)
	x.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: gate.Report{
		Gate: "files", Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "your files have changed since: the run goes on with them as they are now",
	}})
	return step.Outcome{}
}

// fitsOn reports whether the files that the attempt changes are in a tree as they were when it began.
func (a *attempt) fitsOn(ctx context.Context, n graph.Node, now step.State) (bool, error) {
	for _, f := range a.changes.Files {
		text, err := step.Call[step.Text](ctx, a.run.Flow, at(n), "again/"+f.Path, step.ActivityRead, step.ReadCall{State: now, Path: f.Path})
		_, failed := asFailure(err)
		switch {
		case failed:
			return false, nil
		case err != nil:
			return false, err
		case text.Exists == (f.Kind == patch.Create), string(text.Content) != f.Before:
			return false, nil
		}
	}
	return true, nil
}

// bestBefore is the best draft of the attempts before one; nil where there is none.
func (h *history) bestBefore(attempt int) *draft {
	earlier := history{drafts: slices.DeleteFunc(slices.Clone(h.drafts), func(d draft) bool { return d.attempt >= attempt })}
	return earlier.best()
}

// resumedAt reports whether an attempt is the first that asks a model after the run was resumed.
func (h *history) resumedAt(attempt int) bool {
	return attempt > 1 && (attempt > h.run.limit(attempt-1) || h.judgedBy(attempt-1) > 0)
}

// Package pipeline is what a run does: a graph whose nodes ask models and measure what they made.
//
//	               ┌─► spec ─────┐
//	orchestrator ──┤             ├─► explore ─► executor ─► review
//	               └─► baseline ─┘     ▲ ▲ failed │           │ review_fail
//	                                   │ └────────┘           │
//	                                   └──────────────────────┘
//
// The orchestrator decides whether a specification is needed. Explore has what is missing looked at before anything is
// written: round after round a model names what it wants to see, unless all of the folder is in the prompt anyway. The
// executor writes tests, sees them red, and writes the implementation. Review runs the gates, then asks the model for its
// opinion of the diff. What does not hold goes back to explore with the reason, which looks at what went wrong before the
// executor tries again. These three are a module.
//
// The graph grows while it runs. An orchestrator that has to know something first delegates that to a subagent, and decides again.
// With a plan a planner stands in the place of the module above, and adds one for each part, one that joins each tier of several,
// and one that joins the whole.
//
// The graph and its nodes are here. They work on the state of package work, have changes judged by package judge, and speak with models
// through package dialogue; each imports those named before it. What nodes find out for others is a value of work.Run.
//
// Invariants: the model returns values and the graph decides; a model's opinion can fail a green gate
// and never pass a red one; exploring changes nothing, and what it cannot find out stops nothing.
//
// This is code over a flow.Flow, and is played again after a crash: given the same journal it takes the same
// way. So nothing here starts a goroutine, ranges over a map, reads a clock or a file, or keeps state outside
// of a run; whatever does stands behind an activity (engine/step names them, engine/activity does them). The
// scratch tree is a value: a snapshot and the changes written into it.
package pipeline

import (
	"cmp"
	"context"
	"errors"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/patch"
)

// Implement is the recipe of a run that names none; mode.Recipes lists all.
const Implement = mode.Implement

// Result is how a run ended.
type Result struct {
	State   event.State
	Reason  string // for the user; empty for Succeeded
	Changes patch.ChangeSet
	Base    string // id of the snapshot that Changes are of
	// Partly are the suites of which only a part has looked at Changes, because the folder is large; none for changes that were not accepted.
	Partly  []string
	Reports []gate.Report // of the last review; with Unverified those of the attempt that made Changes
	// Unverified is what speaks against Changes, a line each: they are the best of what a run made that did not succeed. It is empty for
	// changes that were accepted, and where there are none.
	Unverified string
	Spec       work.Spec    // that was worked from; zero where there was none, or none was approved
	Review     *gate.Report // what the reviewer said last; nil where no reviewer was asked. An opinion, and no gate
	Answer     string       // to what was asked: Markdown
	// Retry is what would be tried again.
	Retry work.Retry
}

// Run takes a task through the graph. It returns when everything it started has ended.
func Run(ctx context.Context, env work.Env, task work.Task) Result {
	r := newRunner(env, task)
	g := r.graph()
	r.Emit(event.GraphBuilt{Base: r.Base, Nodes: g.Nodes(), Edges: g.Edges(), Attempts: r.AllAttempts()})
	err := g.Run(ctx, r.Crew, r.permits(), r.work, func(n graph.Node) { r.Emit(event.NodeChanged{Node: n}) })
	result := r.result(ctx, err)
	result.Spec, result.Review, result.Answer = r.specifier.approved, r.whole.reviewer.opinion, r.reader.answer
	return result
}

// result is what the end of the graph means for the user. A run that was not accepted gives the best of what it made.
func (r *runner) result(ctx context.Context, err error) Result {
	stuck := stuckAt(err)
	switch {
	case ctx.Err() != nil:
		return r.offerBest(Result{State: event.Cancelled, Reason: "cancelled"})
	case r.whole.Questions.Declined != "":
		return Result{State: event.Cancelled, Reason: r.whole.Questions.Declined}
	case r.Finished != "":
		return Result{State: event.Succeeded, Reason: r.Finished}
	case stuck != nil:
		return r.offerBest(Result{State: stuckState(stuck), Reason: stuckReason(stuck), Reports: r.reportsOf(stuck), Retry: r.retry(stuck)})
	case err != nil:
		return r.offerBest(Result{State: event.Failed, Reason: err.Error(), Reports: r.whole.reviewer.reports})
	}
	return Result{
		State: event.Succeeded, Changes: r.whole.Now.Changes, Base: cmp.Or(r.whole.Now.Tree.Base, r.Base), Partly: r.partly(), Reports: r.whole.reviewer.reports,
	}
}

// stuckAt is the error of a graph that cannot go on; nil where it is another one.
func stuckAt(err error) *graph.StuckError {
	var stuck *graph.StuckError
	if errors.As(err, &stuck) {
		return stuck
	}
	return nil
}

func stuckState(stuck *graph.StuckError) event.State {
	for _, n := range stuck.Nodes {
		if n.Status == graph.Failed {
			return event.Failed
		}
	}
	return event.Blocked
}

// stuckReason prefers the reason of what failed for good.
func stuckReason(stuck *graph.StuckError) string {
	reason := ""
	for _, n := range stuck.Nodes {
		if n.Status == graph.Failed || reason == "" {
			reason = n.ID + ": " + n.Reason
		}
	}
	return reason
}

// reportsOf are those of the module where a run is stuck, else of the whole.
func (r *runner) reportsOf(stuck *graph.StuckError) []gate.Report {
	for _, n := range stuck.Nodes {
		if m := r.moduleOf(n); len(m.reviewer.reports) > 0 {
			return m.reviewer.reports
		}
	}
	return r.whole.reviewer.reports
}

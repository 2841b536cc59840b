// Package pipeline is what a run does: a graph whose nodes call models and measure the results.
//
//	               ┌─► spec ─────┐
//	orchestrator ──┤             ├─► explore ─► executor ─► review
//	               └─► baseline ─┘     ▲ ▲ failed │           │ review_fail
//	                                   │ └────────┘           │
//	                                   └──────────────────────┘
//
// Where suites may run on two trees at once, explore does not wait for the baseline: the module joins it where it decides by it (judge.Gates.Join).
//
// The orchestrator decides whether a specification is needed. Explore, executor and review are a module: it makes one change.
//
// The graph grows while it runs. An orchestrator that lacks information delegates the question to a subagent, and decides again.
// With a plan, a planner replaces the module above, and adds one for each part, one that joins the parts that others depend on
// together, and one that joins the whole. If parts cannot be done, a module joins those that hold.
//
// The graph is here, with the nodes before the module and those of runs that change nothing, reviews among them. Package module has the nodes of a
// change, and those of a plan. Both work on the state of package work, have changes judged by package judge, and talk to models through package
// dialogue; each imports only those named after it. Results that nodes share are in work.Run.
//
// Invariant: the model returns values and the graph decides.
//
// This is code over a flow.Flow, which is replayed after a crash: given the same journal it takes the same
// way. So nothing here starts a goroutine, ranges over a map, reads a clock or a file, or keeps state outside
// of a run; such effects are activities (engine/step names them, engine/activity performs them). The scratch
// tree is a value: a snapshot and the changes written into it.
package pipeline

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/plan"
	"forge/patch"
)

// Implement is the default recipe; mode.Recipes lists all.
const Implement = mode.Implement

// Result is the result of a run.
type Result struct {
	State   event.State
	Reason  string // for the user; empty for Succeeded
	Changes patch.ChangeSet
	Base    string // id of the base snapshot of Changes
	// Partly are the suites of which only a part ran on Changes, because the folder is large; none for changes that were not
	// accepted.
	Partly  []string
	Reports []gate.Report // of the last review; with Unverified those of the attempt that made Changes
	// Unverified lists the objections to Changes, one per line: they are the best draft of a run that did not succeed. It is empty
	// for accepted changes, and without changes.
	Unverified string
	// Explanation is what models say of Changes in their own words, which nothing has checked, a line for each part of a plan. It may be empty.
	Explanation string `json:",omitempty"`
	// Missing are the parts of a plan that are not in Changes; the others were joined and checked together.
	Missing []string     `json:",omitempty"`
	Spec    work.Spec    // the specification that was used; zero without one, or without approval
	Review  *gate.Report // the reviewer's last report; nil without a reviewer. An opinion, not a gate
	Answer  string       // answer to a question: Markdown
	Plan    *plan.File   `json:",omitempty"` // of a run that only plans
	// Retry is what a retry would repeat.
	Retry work.Retry
}

// Run takes a task through the graph. It returns when everything it started has ended.
func Run(ctx context.Context, env work.Env, task work.Task) Result {
	r := newRunner(env, task)
	g := r.graph()
	r.Emit(event.GraphBuilt{Base: r.Base, Nodes: g.Nodes(), Edges: g.Edges(), Attempts: r.AllAttempts()})
	result := r.result(ctx, r.drive(ctx, g))
	result.Spec, result.Review, result.Answer, result.Plan = r.specifier.approved, r.whole.Opinion(), r.reader.answer, r.planner.Made()
	return result
}

// result returns the meaning of the graph's end for the user. A run that was not accepted returns its best draft.
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
		ended := Result{State: stuckState(stuck), Reason: stuckReason(stuck), Reports: r.reportsOf(stuck), Retry: r.retry(stuck)}
		if offered, holds := r.offerPartial(ended); holds {
			return offered
		}
		return r.offerBest(ended)
	case err != nil:
		return r.offerBest(Result{State: event.Failed, Reason: err.Error(), Reports: r.whole.Reports()})
	}
	return Result{
		State: event.Succeeded, Changes: r.whole.Now.Changes, Base: cmp.Or(r.whole.Now.Tree.Base, r.Base), Partly: r.partly(), Reports: r.whole.Reports(),
		Explanation: explained(r.whole.Module),
	}
}

// stuckAt returns the error of a stuck graph; nil for other errors.
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

// stuckReason names all nodes where a graph is stuck, those that failed finally first.
func stuckReason(stuck *graph.StuckError) string {
	var failed, blocked []string
	for _, n := range stuck.Nodes {
		if n.Status == graph.Failed {
			failed = append(failed, n.ID+": "+n.Reason)
		} else {
			blocked = append(blocked, n.ID+": "+n.Reason)
		}
	}
	return strings.Join(append(failed, blocked...), "; ")
}

// reportsOf returns those of the module where a run is stuck, otherwise of the whole.
func (r *runner) reportsOf(stuck *graph.StuckError) []gate.Report {
	for _, n := range stuck.Nodes {
		if m := r.planner.ModuleOf(n); len(m.Reports()) > 0 {
			return m.Reports()
		}
	}
	return r.whole.Reports()
}

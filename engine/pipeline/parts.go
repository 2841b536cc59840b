package pipeline

import (
	"fmt"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/plan"
	"forge/engine/step"
	"forge/patch"
)

// The kinds of nodes that a module has, in order.
var ofModule = []string{nodeExplore, nodeExecutor, nodeReview}

// shape is a module as nodes and edges of the graph: it begins after others, and its lanes lead back to its own explorer.
//
//	after ─► explore ─► executor ─► review
//	           ▲ ▲ failed │          │ review_fail
//	           └─┴────────┴──────────┘
func (j *job) shape(after ...string) (g graph.Growth) {
	explore, executor, review := j.node(nodeExplore), j.node(nodeExecutor), j.node(nodeReview)
	for _, kind := range ofModule {
		g.Nodes = append(g.Nodes, graph.Node{ID: j.node(kind), Kind: kind})
	}
	for _, id := range after {
		g.Edges = append(g.Edges, graph.Edge{From: id, To: explore, Type: graph.Normal})
	}
	g.Edges = append(g.Edges,
		graph.Edge{From: explore, To: executor, Type: graph.Normal},
		graph.Edge{From: executor, To: review, Type: graph.Normal},
		graph.Edge{From: executor, To: explore, Type: graph.Failure},
		graph.Edge{From: review, To: explore, Type: graph.ReviewFail})
	return g
}

// adopt makes modules of the parts of a plan, and adds them to the graph: tier after tier, the parts of a tier side by side. A tier of
// several parts ends with a module that joins them, so that gates have judged what they come to together before the next tier
// begins. In the end the whole is joined and reviewed.
//
// A plan of one part is the task itself.
func (pl *planner) adopt(p plan.Plan) graph.Outcome {
	if len(p.Parts) == 1 {
		pl.job.part = &p.Parts[0]
		return pl.run.grow(pl.job.shape(nodePlan))
	}
	var all graph.Growth
	last, after := []*module(nil), []string{nodePlan}
	tiers := p.Tiers()
	for t, parts := range tiers {
		var tier []*module
		for _, i := range parts {
			one := newModule(&job{run: pl.run, id: p.Parts[i].ID, part: &p.Parts[i], after: last}, 0, 0)
			tier = append(tier, one)
			all = plus(all, one.job.shape(after...))
		}
		pl.run.parts = append(pl.run.parts, tier...)
		after = reviews(tier)
		if last = tier; len(tier) > 1 && t+1 < len(tiers) {
			joined := newModule(&job{run: pl.run, id: fmt.Sprintf("tier-%d", t+1), after: tier, joins: true}, 0, 0)
			pl.run.parts, last = append(pl.run.parts, joined), []*module{joined}
			all = plus(all, joined.job.shape(after...))
			after = reviews(last)
		}
	}
	pl.job.after, pl.job.joins = last, true
	if o := pl.share(); o.Status != graph.Done {
		return o
	}
	return pl.run.grow(plus(all, pl.job.shape(after...)))
}

// grow adds to the graph.
func (r *run) grow(more graph.Growth) graph.Outcome {
	r.Tell(event.GraphGrown(more))
	return graph.Outcome{Status: graph.Done, Grow: more}
}

// leastShare is how many exchanges a part needs at least: tests, an implementation, a review, and one to spare.
const leastShare = 4

// share gives each module as much of what the run may still have: how much one takes must not depend on how fast others are.
func (pl *planner) share() graph.Outcome {
	n, times := len(pl.run.parts)+1, 1+len(pl.run.Retries) // count lets each have its share as many times
	left := pl.budget.most*times - pl.budget.steps
	each := left / times / n
	if left/n < leastShare || each < 1 {
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
			"the plan has %d parts, and only %d exchanges with models are left for them (limits.steps is %d): resume the run, and it may have as many again; or ask for fewer parts",
			len(pl.run.parts), left, pl.budget.most)}
	}
	for _, part := range pl.run.parts {
		part.budget.most, part.budget.tools = each, max(1, pl.budget.tools/n)
	}
	pl.budget.most, pl.budget.tools = (pl.budget.steps+times-1)/times+each, max(1, pl.budget.tools/n)
	return graph.Outcome{Status: graph.Done}
}

func reviews(modules []*module) (ids []string) {
	for _, m := range modules {
		ids = append(ids, m.job.node(nodeReview))
	}
	return ids
}

func plus(a, b graph.Growth) graph.Growth {
	return graph.Growth{Nodes: append(a.Nodes, b.Nodes...), Edges: append(a.Edges, b.Edges...)}
}

// moduleOf is the module that a node belongs to.
func (r *run) moduleOf(n graph.Node) *module {
	for _, m := range r.parts {
		if m.job.node(n.Kind) == n.ID {
			return m
		}
	}
	return r.whole
}

// enter sets a module on what those have made that come before it. Parts of one tier have begun with the same tree, so that what
// each has made can be put together; what does not go together is for the module that joins them.
func (m *module) enter() {
	b := beginning{start: m.run.base()}
	var made patch.ChangeSet
	for _, before := range m.job.after {
		both, clashes := patch.Combine(made, before.now.made())
		made, b.clashes = both, append(b.clashes, clashes...)
		b.earlier = b.earlier.with(before)
	}
	switch {
	case len(m.job.after) == 0 && m.history.moved != "":
		b.start = step.State{Base: m.history.moved}
	case len(m.job.after) == 0:
	case m.job.joins:
		b.start = b.start.With(m.job.after[0].begin.given).With(made)
		m.known.show(changedPaths(made)...) // its parts have written them
	default:
		b.given = m.job.after[0].now.changes
		b.start = b.start.With(b.given)
	}
	*m.begin = b
}

// reportsOf are those of the module where a run is stuck, else of the whole.
func (r *run) reportsOf(stuck *graph.StuckError) []gate.Report {
	for _, n := range stuck.Nodes {
		if m := r.moduleOf(n); len(m.reviewer.reports) > 0 {
			return m.reviewer.reports
		}
	}
	return r.whole.reviewer.reports
}

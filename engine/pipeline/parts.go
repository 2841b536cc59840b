package pipeline

import (
	"fmt"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
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
func (m *module) shape(after ...string) (g graph.Growth) {
	explore, executor, review := m.node(nodeExplore), m.node(nodeExecutor), m.node(nodeReview)
	for _, kind := range ofModule {
		g.Nodes = append(g.Nodes, graph.Node{ID: m.node(kind), Kind: kind})
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
func (m *module) adopt(p plan.Plan) graph.Outcome {
	if len(p.Parts) == 1 {
		m.part = &p.Parts[0]
		return m.grow(m.shape(nodePlan))
	}
	var all graph.Growth
	last, after := []*module(nil), []string{nodePlan}
	tiers := p.Tiers()
	for t, parts := range tiers {
		var tier []*module
		for _, i := range parts {
			one := &module{run: m.run, id: p.Parts[i].ID, part: &p.Parts[i], after: last}
			tier = append(tier, one)
			all = plus(all, one.shape(after...))
		}
		m.parts = append(m.parts, tier...)
		after = reviews(tier)
		if last = tier; len(tier) > 1 && t+1 < len(tiers) {
			joined := &module{run: m.run, id: fmt.Sprintf("tier-%d", t+1), after: tier, joins: true}
			m.parts, last = append(m.parts, joined), []*module{joined}
			all = plus(all, joined.shape(after...))
			after = reviews(last)
		}
	}
	m.after, m.joins = last, true
	if o := m.share(); o.Status != graph.Done {
		return o
	}
	return m.grow(plus(all, m.shape(after...)))
}

// grow adds to the graph.
func (m *module) grow(more graph.Growth) graph.Outcome {
	m.Tell(event.GraphGrown(more))
	return graph.Outcome{Status: graph.Done, Grow: more}
}

// leastShare is how many exchanges a part needs at least: tests, an implementation, a review, and one to spare.
const leastShare = 4

// share gives each module as much of what the run may still have: how much one takes must not depend on how fast others are.
func (m *module) share() graph.Outcome {
	n, times := len(m.parts)+1, 1+len(m.Retries) // count lets each have its share as many times
	left := m.most*times - m.steps
	each := left / times / n
	if left/n < leastShare || each < 1 {
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf(
			"the plan has %d parts, and only %d exchanges with models are left for them (limits.steps is %d): resume the run, and it may have as many again; or ask for fewer parts",
			len(m.parts), left, m.most)}
	}
	for _, part := range m.parts {
		part.most, part.tools = each, max(1, m.tools/n)
	}
	m.most, m.tools = (m.steps+times-1)/times+each, max(1, m.tools/n)
	return graph.Outcome{Status: graph.Done}
}

func reviews(modules []*module) (ids []string) {
	for _, m := range modules {
		ids = append(ids, m.node(nodeReview))
	}
	return ids
}

func plus(a, b graph.Growth) graph.Growth {
	return graph.Growth{Nodes: append(a.Nodes, b.Nodes...), Edges: append(a.Edges, b.Edges...)}
}

// moduleOf is the module that a node belongs to.
func (r *run) moduleOf(n graph.Node) *module {
	for _, m := range r.parts {
		if m.node(n.Kind) == n.ID {
			return m
		}
	}
	return r.whole
}

// enter sets a module on what those have made that come before it. Parts of one tier have begun with the same tree, so that what
// each has made can be put together; what does not go together is for the module that joins them.
func (m *module) enter() {
	m.start, m.given, m.clashes, m.earlier = m.base(), patch.ChangeSet{}, nil, earlier{}
	var made patch.ChangeSet
	for _, before := range m.after {
		both, clashes := patch.Combine(made, before.made())
		made, m.clashes = both, append(m.clashes, clashes...)
		m.earlier.red = m.earlier.red.With(before.allRed()...)
		m.earlier.tests = merge(m.earlier.tests, before.allTests())
		m.earlier.released = merge(m.earlier.released, merge(before.earlier.released, before.released))
	}
	switch {
	case len(m.after) == 0 && m.moved != "":
		m.start = step.State{Base: m.moved}
	case len(m.after) == 0:
	case m.joins:
		m.start = m.base().With(m.after[0].given).With(made)
		m.saw = merge(m.saw, changedPaths(made)) // its parts have written them
	default:
		m.given = m.after[0].changes
		m.start = m.base().With(m.given)
	}
}

// made is what the module itself has changed.
func (m *module) made() patch.ChangeSet { return m.changes.Since(m.given) }

// earlier is what a module has to keep of those before it.
type earlier struct {
	red      integrity.Reds // tests that were seen red
	tests    []string       // test files that were written
	released []string       // what tests do that they may, as the person has said: messages of the gate regression
}

// allRed are the tests that were seen red by the module and those before it: all of them must hold.
func (m *module) allRed() integrity.Reds { return m.earlier.red.With(m.red...) }

// allTests are the test files that the module and those before it have written.
func (m *module) allTests() []string {
	if m.tests == nil {
		return m.earlier.tests
	}
	return merge(m.earlier.tests, changedPaths(*m.tests))
}

// reportsOf are those of the module where a run is stuck, else of the whole.
func (r *run) reportsOf(stuck *graph.StuckError) []gate.Report {
	for _, n := range stuck.Nodes {
		if m := r.moduleOf(n); len(m.reports) > 0 {
			return m.reports
		}
	}
	return r.whole.reports
}

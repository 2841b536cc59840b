package module

import (
	"cmp"
	"fmt"
	"slices"

	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/engine/plan"
)

// parts adds the modules of a plan to a run. A part begins once exactly those are done that it depends on: with the result of the
// only one, or with that of a module that joins them, so that gates judge them together before anything builds on them. Parts that
// depend on the same ones share that module.
type parts struct {
	pl    *Planner
	from  string // the node after which parts begin that depend on none
	share int    // exchanges of each module; 0 is the plan's
	grown graph.Growth
}

// add adds the modules of some parts of a plan, in the order of its tiers.
func (b *parts) add(p plan.Plan, ids []string) {
	for _, tier := range p.Tiers() {
		for _, i := range tier {
			if part := &p.Parts[i]; slices.Contains(ids, part.ID) {
				b.module(&work.Job{Run: b.pl.run, ID: part.ID, Part: part, After: b.begin(part.DependsOn)})
			}
		}
	}
}

// begin returns the module whose result a part with these dependencies begins with; none for a part that depends on no other.
func (b *parts) begin(ids []string) []*work.Module {
	var after []*work.Module
	for _, m := range b.pl.run.Parts {
		if m.Job.Part != nil && slices.Contains(ids, m.Job.ID) {
			after = append(after, m)
		}
	}
	if after = work.Latest(after); len(after) < 2 {
		return after
	}
	for _, m := range b.pl.run.Parts {
		if m.Job.Joins && slices.Equal(m.Job.After, after) {
			return []*work.Module{m}
		}
	}
	b.pl.joins++
	return []*work.Module{b.module(&work.Job{Run: b.pl.run, ID: fmt.Sprintf("join-%d", b.pl.joins), After: after, Joins: true})}
}

// whole has the whole of the task join all parts.
func (b *parts) whole(job *work.Job) {
	job.After, job.Joins = work.Latest(b.pl.run.Parts), true
	b.shape(job)
}

func (b *parts) module(job *work.Job) *work.Module {
	job.Plan()
	m := New(b.pl.gates, job, cmp.Or(b.share, b.pl.share), b.pl.shareOfTools)
	b.pl.modules, b.pl.run.Parts = append(b.pl.modules, m), append(b.pl.run.Parts, m.Module)
	b.shape(job)
	return m.Module
}

// shape adds the nodes of a module, and the edges from those that it begins with.
func (b *parts) shape(job *work.Job) {
	after := []string{b.from}
	if len(job.After) > 0 {
		after = nil
	}
	for _, m := range job.After {
		after = append(after, m.Job.Node(work.NodeReview))
	}
	more := job.Shape(after...)
	b.grown = graph.Growth{Nodes: append(b.grown.Nodes, more.Nodes...), Edges: append(b.grown.Edges, more.Edges...)}
}

// waitsFor has a module that has not begun wait for another.
func (b *parts) waitsFor(job *work.Job, m *work.Module) {
	b.grown.Edges = append(b.grown.Edges, graph.Edge{From: m.Job.Node(work.NodeReview), To: job.Node(work.NodeExplore), Type: graph.Normal})
}

// ModuleOf returns the module of a node.
func (pl *Planner) ModuleOf(n graph.Node) *Module {
	for _, m := range pl.modules {
		if m.Job.Node(n.Kind) == n.ID {
			return m
		}
	}
	return pl.whole
}

// Current returns the modules of the plan as it is now, and that of the whole: not those of a partial result, and of replaced parts.
func (pl *Planner) Current() []*Module {
	all := append([]*Module{pl.whole}, pl.modules...)
	return slices.DeleteFunc(all, func(m *Module) bool { return m != pl.whole && !slices.Contains(pl.run.Parts, m.Module) })
}

package module

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// Partial is the result of a plan of which parts are missing: the parts that hold, joined and checked together. Nothing asks a
// reviewer about it, because each part was reviewed, and the whole of the task is not there.
type Partial struct {
	Of      *Module  // joins the parts that hold; nil if no part does
	Missing []string // ids of the missing parts
	Reasons []string // a line for each of them
}

// Partial returns the partial result; nil if there is none that holds.
func (pl *Planner) Partial() *Partial {
	if p := pl.partial; p != nil && p.Of != nil && p.Of.History.Accepted() {
		return p
	}
	return nil
}

// Gather adds to the graph a module that joins the parts that hold, because the graph is stuck and others will not be done. It reports
// whether it did. The name of the module is that of its parts: a resumed run in which others hold joins those under another name.
func (pl *Planner) Gather(g *graph.Graph, stuck *graph.StuckError) bool {
	if pl.partial != nil || len(pl.run.Parts) == 0 || pl.run.Finished != "" || pl.whole.Questions.Declined != "" || pl.begun(g, pl.whole) {
		return false
	}
	pl.partial = &Partial{}
	held := pl.held(g)
	for _, m := range pl.run.Parts {
		if m.Job.Part != nil && !slices.Contains(held, m) {
			pl.partial.lacks(m.Job.ID, pl.whyMissing(m, stuck))
		}
	}
	for _, id := range pl.carried.later {
		pl.partial.lacks(id, "it was not begun")
	}
	last := work.Latest(held)
	if len(last) == 0 {
		return false
	}
	names, nodes := "", []string(nil)
	for _, m := range last {
		names, nodes = names+m.Job.ID+"\n", append(nodes, m.Job.Node(work.NodeReview))
	}
	sum := sha256.Sum256([]byte(names))
	m := New(pl.gates, &work.Job{Run: pl.run, ID: "partial-" + hex.EncodeToString(sum[:3]), After: last, Joins: true}, pl.share, pl.shareOfTools)
	pl.partial.Of = m
	pl.modules = append(pl.modules, m)
	grown := m.Job.Shape(nodes...)
	pl.grow(g, grown)
	return true
}

func (p *Partial) lacks(id, why string) {
	p.Missing, p.Reasons = append(p.Missing, id), append(p.Reasons, fmt.Sprintf("part %s is missing: %s", id, why))
}

// grow adds nodes to a graph in which nothing can continue. They are new, so that it cannot fail.
func (pl *Planner) grow(g *graph.Graph, more graph.Growth) {
	pl.run.Emit(event.GraphGrown(more))
	g.MustGrow(more)
}

// begun reports whether a module has begun.
func (pl *Planner) begun(g *graph.Graph, m *Module) bool {
	return slices.ContainsFunc(g.Nodes(), func(n graph.Node) bool { return n.ID == m.Job.Node(work.NodeExplore) && n.Attempt > 0 })
}

// held returns the modules that are done and go together. If a join of done parts failed, the first of them is kept.
func (pl *Planner) held(g *graph.Graph) (held []*work.Module) {
	done := map[string]bool{}
	for _, n := range g.Nodes() {
		done[n.ID] = n.Status == graph.Done
	}
	var apart []*work.Module
	for _, m := range pl.run.Parts {
		switch {
		case done[m.Job.Node(work.NodeReview)]:
			held = append(held, m)
		case m.Job.Joins && !slices.ContainsFunc(m.Job.After, func(b *work.Module) bool { return !done[b.Job.Node(work.NodeReview)] }):
			apart = append(apart, m.Job.After[1:]...)
		}
	}
	return slices.DeleteFunc(held, func(m *work.Module) bool {
		return slices.ContainsFunc(apart, func(a *work.Module) bool { return m == a || m.Job.BuildsOn(a.Job) })
	})
}

// whyMissing returns why a part is not in the result: its own failure, or that of the module that it waits for.
func (pl *Planner) whyMissing(m *work.Module, stuck *graph.StuckError) string {
	if why := m.Job.WaitsFor(); why != "" {
		return why
	}
	if reason := reasonAt(m, stuck); reason != "" {
		return reason
	}
	for _, before := range m.Job.Before() {
		if reason := reasonAt(before, stuck); reason != "" && before.Job.Joins {
			return fmt.Sprintf("%s do not hold together: %s", strings.Join(idsOf(before.Job.After), " and "), reason)
		} else if reason != "" {
			return "it waits for " + before.Job.ID
		}
	}
	for _, other := range pl.run.Parts {
		if reason := reasonAt(other, stuck); reason != "" && slices.Contains(other.Job.After, m) {
			return fmt.Sprintf("it does not hold together with %s: %s", other.Job.After[0].Job.ID, reason)
		}
	}
	return "it was not begun"
}

func idsOf(modules []*work.Module) (ids []string) {
	for _, m := range modules {
		ids = append(ids, m.Job.ID)
	}
	return ids
}

// reasonAt returns the reason of a module's node at which the graph is stuck; empty if none is.
func reasonAt(m *work.Module, stuck *graph.StuckError) string {
	for _, n := range stuck.Nodes {
		if m.Job.Node(n.Kind) == n.ID {
			return work.Shorten(work.FirstOf(n.Reason), 300)
		}
	}
	return ""
}

package pipeline

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

// partial is the result of a plan of which parts are missing: the parts that hold, joined and checked together. Nothing asks a
// reviewer about it, because each part was reviewed, and the whole of the task is not there.
type partial struct {
	of      *module  // joins the parts that hold; nil if no part does
	missing []string // a line for each part that is not in it, with the reason
	ids     []string // of the missing parts
}

// gather adds to the graph a module that joins the parts that hold, because the graph is stuck and others will not be done. It reports
// whether it did. The name of the module is that of its parts: a resumed run in which others hold joins those under another name.
func (r *runner) gather(g *graph.Graph, stuck *graph.StuckError) bool {
	if r.partial != nil || len(r.Parts) == 0 || r.Finished != "" || r.whole.Questions.Declined != "" || r.begun(g, r.whole) {
		return false
	}
	r.partial = &partial{}
	held := r.held(g)
	for _, m := range r.Parts {
		if m.Job.Part != nil && !slices.Contains(held, m) {
			r.partial.lacks(m.Job.ID, r.whyMissing(m, stuck))
		}
	}
	for _, id := range r.planner.carried.later {
		r.partial.lacks(id, "it was not begun")
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
	m := newModule(r.gates, &work.Job{Run: r.Run, ID: "partial-" + hex.EncodeToString(sum[:3]), After: last, Joins: true}, r.share, r.shareOfTools)
	r.partial.of = m
	r.modules = append(r.modules, m)
	grown := m.Job.Shape(nodes...)
	r.Emit(event.GraphGrown(grown))
	must(g.Grow(grown))
	return true
}

func (p *partial) lacks(id, why string) {
	p.ids, p.missing = append(p.ids, id), append(p.missing, fmt.Sprintf("part %s is missing: %s", id, why))
}

// dropped reports whether a module is not of the plan as it is now: that of a partial result, or of a part that was replaced.
func (r *runner) dropped(m *module) bool { return m != r.whole && !slices.Contains(r.Parts, m.Module) }

// begun reports whether a module has begun.
func (r *runner) begun(g *graph.Graph, m *module) bool {
	return slices.ContainsFunc(g.Nodes(), func(n graph.Node) bool { return n.ID == m.Job.Node(work.NodeExplore) && n.Attempt > 0 })
}

// held returns the modules that are done and go together. If a join of done parts failed, the first of them is kept.
func (r *runner) held(g *graph.Graph) (held []*work.Module) {
	done := map[string]bool{}
	for _, n := range g.Nodes() {
		done[n.ID] = n.Status == graph.Done
	}
	var apart []*work.Module
	for _, m := range r.Parts {
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
func (r *runner) whyMissing(m *work.Module, stuck *graph.StuckError) string {
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
	for _, other := range r.Parts {
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

// offer makes a result that was not accepted the partial one, if that holds.
func (p *partial) offer(result Result) (Result, bool) {
	if p == nil || p.of == nil || !p.of.History.Accepted() {
		return result, false
	}
	first := work.Are(len(p.ids), "part") + " missing; the others were joined and checked together"
	result.State, result.Missing = event.Blocked, p.ids
	result.Changes, result.Reports = p.of.Now.Changes, p.of.reviewer.reports
	result.Unverified = unverified(append([]string{first}, p.missing...))
	return result, true
}

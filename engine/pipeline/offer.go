package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/patch"
)

// offerBest adds the best draft to a result that was not accepted. For a plan, these are the accepted parts and the best drafts of
// the others.
func (r *runner) offerBest(result Result) Result {
	if d := r.whole.History.Best(); d != nil {
		result.Changes, result.Reports, result.Unverified = d.Changes, d.Checked, unverified(d.DoubtsAbout(result.Reason))
		result.Explanation = explained(r.whole.Module)
		return result
	}
	return r.offerParts(result)
}

// explained returns what models say of the change of a module and of those before it, a line for each that says something.
func explained(m *work.Module) string { return explanations(append(m.Job.Before(), m)) }

func explanations(modules []*work.Module) string {
	var lines []string
	for _, m := range modules {
		switch d := m.History.Best(); {
		case d == nil || d.Explanation == "":
		case m.Job.Part != nil:
			lines = append(lines, fmt.Sprintf("part %s: %s", m.Job.ID, d.Explanation))
		default:
			lines = append(lines, d.Explanation)
		}
	}
	return strings.Join(lines, "\n")
}

// unverified joins the objections to a change that was not accepted.
func unverified(lines []string) string { return strings.Join(lines, "\n") }

// offerParts adds the results of all parts to a result that was not accepted: the accepted ones, and the best drafts of others that began
// with accepted ones.
func (r *runner) offerParts(result Result) Result {
	var lines []string
	var made []*work.Module
	drafts := map[*work.Module]patch.ChangeSet{}
	for _, m := range r.Parts {
		d := m.History.Best()
		if d == nil || slices.ContainsFunc(m.Job.Before(), func(b *work.Module) bool { return !b.History.Accepted() }) {
			if m.Job.Part != nil {
				lines = append(lines, fmt.Sprintf("part %s: nothing of it is in this change", m.Job.ID))
			}
			continue
		}
		made, drafts[m] = append(made, m), d.Changes
		if !m.History.Accepted() {
			for _, line := range d.DoubtsAbout(result.Reason) {
				lines = append(lines, fmt.Sprintf("part %s: %s", m.Job.ID, line))
			}
		}
	}
	changes, clashes := work.Combine(made, func(m *work.Module) patch.ChangeSet { return drafts[m] })
	for _, c := range clashes {
		lines = append(lines, fmt.Sprintf("two parts changed %s, and the two changes do not go together", c.Path))
	}
	if len(changes.Files) == 0 {
		return result
	}
	result.Changes, result.Reports, result.Explanation = changes, nil, explanations(made)
	for _, m := range work.Latest(made) {
		result.Reports = append(result.Reports, m.History.Best().Checked...)
	}
	result.Unverified = unverified(append(lines, "the parts of the plan were not checked together"))
	return result
}

// partly returns the suites of which only a part ran on the change.
func (r *runner) partly() (names []string) {
	for _, report := range r.whole.Reports() {
		if r.gates.Partly(report) {
			names = append(names, report.Gate)
		}
	}
	return names
}

// retry returns what a retry of a stuck run would repeat.
func (r *runner) retry(stuck *graph.StuckError) work.Retry {
	again := work.Retry{}
	for _, n := range stuck.Nodes {
		if !r.planner.ModuleOf(n).History.UsedUp {
			again.Stuck = append(again.Stuck, work.At(n))
		}
	}
	planned := r.planner.Current()
	for _, m := range planned {
		if m.History.UsedUp {
			again.UsedUp = true
			continue
		}
		again.Stuck = append(again.Stuck, m.Lost()...)
	}
	for _, m := range planned {
		if place, is := m.ToJudge(slices.DeleteFunc(slices.Clone(stuck.Nodes), func(n graph.Node) bool { return r.planner.ModuleOf(n) != m })); is {
			again.Judge = append(again.Judge, place)
		}
	}
	return again
}

// offerPartial makes a result that was not accepted the partial one, if that holds.
func (r *runner) offerPartial(result Result) (Result, bool) {
	p := r.planner.Partial()
	if p == nil {
		return result, false
	}
	first := work.Are(len(p.Missing), "part") + " missing; the others were joined and checked together"
	result.State, result.Missing = event.Blocked, p.Missing
	result.Changes, result.Reports, result.Explanation = p.Of.Now.Changes, p.Of.Reports(), explained(p.Of.Module)
	result.Unverified = unverified(append([]string{first}, p.Reasons...))
	return result, true
}

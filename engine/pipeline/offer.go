package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

// offerBest adds the best draft to a result that was not accepted. For a plan, these are the accepted parts and the best drafts of
// the others.
func (r *runner) offerBest(result Result) Result {
	if d := r.whole.History.Best(); d != nil {
		result.Changes, result.Reports, result.Unverified = d.Changes, d.Checked, unverified(d.DoubtsAbout(result.Reason))
		return result
	}
	changes, reports, lines := r.bestOfParts(result.Reason)
	if len(changes.Files) > 0 {
		result.Changes, result.Reports, result.Unverified = changes, reports, unverified(lines)
	}
	return result
}

// unverified joins the objections to a change that was not accepted.
func unverified(lines []string) string { return strings.Join(lines, "\n") }

// bestOfParts joins the results of the latest tier's parts with those of the earlier tiers.
func (r *runner) bestOfParts(why string) (changes patch.ChangeSet, reports []gate.Report, lines []string) {
	latest := r.latestMade()
	if latest == nil {
		return changes, nil, nil
	}
	for _, m := range r.modules {
		d := m.History.Best()
		if d == nil && m.Job.Part != nil {
			lines = append(lines, fmt.Sprintf("part %s: nothing of it is in this change", m.Job.ID))
		}
		if d == nil || m.Job.Joins != latest.Job.Joins || !slices.Equal(m.Job.After, latest.Job.After) {
			continue
		}
		both, clashes := patch.Combine(changes, d.Changes)
		changes, reports = both, append(reports, d.Checked...)
		for _, c := range clashes {
			lines = append(lines, fmt.Sprintf("part %s: another part changed %s too, and the two changes do not go together", m.Job.ID, c.Path))
		}
		if !m.History.Accepted() {
			for _, line := range d.DoubtsAbout(why) {
				lines = append(lines, fmt.Sprintf("part %s: %s", m.Job.ID, line))
			}
		}
	}
	return changes, reports, append(lines, "the parts of the plan were not checked together")
}

// latestMade returns the last module in the order of the plan with a result, or nil.
func (r *runner) latestMade() *module {
	for _, m := range slices.Backward(r.modules) {
		if m.History.Best() != nil {
			return m
		}
	}
	return nil
}

// partly returns the suites of which only a part ran on the change.
func (r *runner) partly() (names []string) {
	for _, report := range r.whole.reviewer.reports {
		if r.gates.Partly(report) {
			names = append(names, report.Gate)
		}
	}
	return names
}

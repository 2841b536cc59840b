package pipeline

import (
	"fmt"
	"forge/engine/gate"
	"forge/patch"
	"slices"
	"strings"
)

// offerBest adds to a result that was not accepted the best of what its attempts made. A run that was planned offers what its parts made,
// those that were accepted and the best attempt of the others.
func (r *runner) offerBest(result Result) Result {
	if d := r.whole.history.best(); d != nil {
		result.Changes, result.Reports, result.Unverified = d.changes, d.checked, unverified(d.doubtsAbout(result.Reason))
		return result
	}
	changes, reports, lines := r.bestOfParts(result.Reason)
	if len(changes.Files) > 0 {
		result.Changes, result.Reports, result.Unverified = changes, reports, unverified(lines)
	}
	return result
}

// unverified is what stands above a change that was not accepted.
func unverified(lines []string) string { return strings.Join(lines, "\n") }

// bestOfParts puts together what the parts of the latest tier made, on top of what the tiers before it made.
func (r *runner) bestOfParts(why string) (changes patch.ChangeSet, reports []gate.Report, lines []string) {
	latest := r.latestMade()
	if latest == nil {
		return changes, nil, nil
	}
	for _, m := range r.modules {
		d := m.history.best()
		if d == nil && m.job.part != nil {
			lines = append(lines, fmt.Sprintf("part %s: nothing of it is in this change", m.job.id))
		}
		if d == nil || m.job.joins != latest.job.joins || !slices.Equal(m.job.after, latest.job.after) {
			continue
		}
		both, clashes := patch.Combine(changes, d.changes)
		changes, reports = both, append(reports, d.checked...)
		for _, c := range clashes {
			lines = append(lines, fmt.Sprintf("part %s: another part changed %s too, and the two changes do not go together", m.job.id, c.Path))
		}
		if !m.history.accepted() {
			for _, line := range d.doubtsAbout(why) {
				lines = append(lines, fmt.Sprintf("part %s: %s", m.job.id, line))
			}
		}
	}
	return changes, reports, append(lines, "the parts of the plan were not checked together")
}

// latestMade is the last module in the order of the plan that made something; nil where none did.
func (r *runner) latestMade() *module {
	for _, m := range slices.Backward(r.modules) {
		if m.history.best() != nil {
			return m
		}
	}
	return nil
}

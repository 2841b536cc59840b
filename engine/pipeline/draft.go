package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/overseer"
	"forge/engine/step"
	"forge/patch"
)

// draft is what one attempt has made, whether it was accepted or not.
type draft struct {
	attempt int
	tree    step.State // as the attempt left it
	changes patch.ChangeSet
	tests   *patch.ChangeSet // those that were seen red for it
	red     integrity.Reds
	broken  bool          // a file that it changes cannot be parsed
	checked []gate.Report // what gates decided; nil where none was run
	refused string        // what the reviewer has against it; empty where the reviewer said nothing against it
	reason  string        // why the attempt was not accepted; empty where that is not known yet
}

// passed is how many checks of the draft pass.
func (d draft) passed() int { return overseer.AttemptOf(deciding(d.checked)).Passed }

// doubtsAbout says in lines what speaks against a draft, or why nothing speaks for it. why is how its run ended.
func (d draft) doubtsAbout(why string) []string {
	var lines []string
	for _, r := range d.checked {
		if r.Verdict != gate.Pass && r.Decides() {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", r.Gate, r.Verdict, firstOf(r.Summary)))
		}
	}
	if d.refused != "" {
		lines = append(lines, "review: "+firstOf(d.refused))
	}
	if len(lines) == 0 && d.reason != "" {
		lines = append(lines, firstOf(d.reason))
	}
	if len(d.checked) == 0 {
		lines = append(lines, "no check has run on this change")
	}
	if len(lines) == 0 || len(d.checked) == 0 && d.reason == "" {
		lines = append(lines, firstOf(why))
	}
	return lines
}

// firstOf is the first line of a text, for a list.
func firstOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return digest(line, 300)
}

// offerBest adds to a result that was not accepted the best of what its attempts made. A run that was planned offers what its parts made,
// those that were accepted and the best attempt of the others.
func (r *run) offerBest(result Result) Result {
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
func (r *run) bestOfParts(why string) (changes patch.ChangeSet, reports []gate.Report, lines []string) {
	latest := r.latestMade()
	if latest == nil {
		return changes, nil, nil
	}
	for _, m := range r.parts {
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
func (r *run) latestMade() *module {
	for _, m := range slices.Backward(r.parts) {
		if m.history.best() != nil {
			return m
		}
	}
	return nil
}

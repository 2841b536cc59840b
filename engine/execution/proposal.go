package execution

import (
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/proposal"
)

// offers reports whether there is a change to propose: one that the run accepted, or the best of what it made.
func (o Outcome) offers() bool {
	return len(o.Changes.Files) > 0 && (o.State == event.Succeeded || o.Unverified != "")
}

// proposal is the proposal of how a run ended, of which these events tell.
func (p Params) proposal(run string, o Outcome, told []event.Event) *proposal.Proposal {
	checks := slices.Concat(o.checks(), suiteReports(told))
	made := proposal.New("p-"+strings.TrimPrefix(run, "r-"), run, title(p.Task), o.Changes, checks, scope(p.Focus))
	made.Unverified = o.Unverified
	made.Asked(p.Task)
	return made
}

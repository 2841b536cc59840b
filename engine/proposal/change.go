package proposal

import (
	"strings"

	"forge/patch"
)

// Accepted returns the ids of the accepted hunks.
func (p *Proposal) Accepted() map[string]bool {
	ids := map[string]bool{}
	for h := range p.hunks() {
		if h.State == Accepted {
			ids[h.ID] = true
		}
	}
	return ids
}

// Whole returns the change that the plan makes if all of it is written; false if it has no edit.
func (plan FilePlan) Whole() (patch.FileChange, bool) {
	all := map[string]bool{}
	for _, e := range plan.Edits {
		all[e.HunkID] = true
	}
	return plan.Change(all)
}

// Change returns the file before and after those edits of the plan whose hunks are named; false if there is none. What the user
// typed at the same time is not in it, so that an undo keeps it.
func (plan FilePlan) Change(hunks map[string]bool) (change patch.FileChange, some bool) {
	change = patch.FileChange{Kind: plan.Kind, Path: plan.Path, From: plan.From, Before: plan.Current.Text}
	switch {
	case plan.Kind == patch.Create && plan.Current.Exists:
		change.Kind = patch.Update // it was an empty file
	case plan.Kind == patch.Create:
		change.Before = "" // of a document without a file
	}
	at := 0
	var after strings.Builder
	for _, e := range plan.Edits {
		if !hunks[e.HunkID] {
			continue
		}
		some = true
		after.WriteString(plan.Current.Text[at:e.Edit.Start])
		after.WriteString(e.Edit.New)
		at = e.Edit.End
	}
	after.WriteString(plan.Current.Text[at:])
	change.After = after.String()
	return change, some
}

package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/proposal"
	"forge/patch"
)

// record hands what is verified to be in the files to the ledger. It records the accepted hunks alone:
// what the user typed at the same time is theirs, and undoing the run must not take it.
func (a *application) record(ctx context.Context, sent []proposal.FilePlan) {
	p := a.review.view()
	accepted := acceptedHunks(p)
	var cs patch.ChangeSet
	for _, plan := range sent {
		if change, some := acceptedChange(plan, accepted); some {
			cs.Files = append(cs.Files, change)
		}
	}
	edit := a.edit
	a.edit = nil
	checkpoint, err := edit(context.WithoutCancel(ctx), cs)
	if err != nil {
		a.by.dialog.Notify(ctx, protocol.MessageTypeWarning, "Forge applied the change, but could not write it down for undo: "+err.Error())
		return
	}
	if checkpoint != "" {
		a.checkpoint = checkpoint
	}
}

// plannedChanges are the files before and after, if everything that was sent comes true.
func plannedChanges(sent []proposal.FilePlan) patch.ChangeSet {
	var set patch.ChangeSet
	for _, plan := range sent {
		all := map[string]bool{}
		for _, e := range plan.Edits {
			all[e.HunkID] = true
		}
		if change, some := acceptedChange(plan, all); some {
			set.Files = append(set.Files, change)
		}
	}
	return set
}

// acceptedChange is a file before and after the hunks of the plan that were accepted.
func acceptedChange(plan proposal.FilePlan, accepted map[string]bool) (patch.FileChange, bool) {
	change := patch.FileChange{Kind: plan.Kind, Path: plan.Path, From: plan.From, Before: plan.Current.Text}
	if plan.Kind == patch.Create && plan.Current.Exists {
		change.Kind = patch.Update // an empty file that was there before
	}
	some, at := false, 0
	var after strings.Builder
	for _, e := range plan.Edits {
		if !accepted[e.HunkID] {
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

// outcome reports, file by file, the state of the chosen hunks.
func (ap *applier) outcome(r *Review, ids []string, notes map[string]string, checkpoint string) api.ApplyResult {
	p := r.view()
	result := api.ApplyResult{ProposalID: p.ID, Files: []api.FileState{}, Checkpoint: checkpoint}
	for _, file := range p.Files {
		count := map[proposal.State]int{}
		chosen := 0
		for _, h := range file.Hunks {
			if slices.Contains(ids, h.ID) {
				count[h.State]++
				chosen++
			}
		}
		if chosen == 0 {
			continue
		}
		state := api.FileState{URI: string(ap.folders.URIOf(r.folder, file.Change.Path)), State: stateOf(count, chosen)}
		state.Message = ap.remark(r, file.Change.Path, state.State, count, notes[file.Change.Path])
		result.Files = append(result.Files, state)
	}
	return result
}

func stateOf(count map[proposal.State]int, chosen int) string {
	switch {
	case count[proposal.Accepted] == chosen:
		return "applied"
	case count[proposal.Accepted] > 0:
		return "partial"
	case count[proposal.Conflict] > 0:
		return "conflict"
	default:
		return "skipped"
	}
}

// remark is what the user should know of a file beyond its state.
func (ap *applier) remark(r *Review, path, state string, count map[proposal.State]int, note string) string {
	var parts []string
	if note != "" {
		parts = append(parts, note)
	}
	if n := count[proposal.Conflict]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s left out: you changed the same lines", hunks(n)))
	}
	if n := count[proposal.Rejected]; n > 0 {
		parts = append(parts, hunks(n)+" rejected")
	}
	if (state == "applied" || state == "partial") && ap.folders.Unsaved(r.folder, path) {
		parts = append(parts, "not saved yet")
	}
	return strings.Join(parts, "; ")
}

// report shows the user the result of an apply. Rich clients show the result themselves.
func (ap *applier) report(ctx context.Context, result api.ApplyResult) {
	if ap.session.Features().Rich {
		return
	}
	kind, done := protocol.MessageTypeInfo, 0
	var lines []string
	for _, file := range result.Files {
		if file.State == "applied" {
			done++
		} else {
			kind = protocol.MessageTypeWarning
		}
		if file.State != "applied" || file.Message != "" {
			lines = append(lines, strings.TrimSuffix(file.URI[strings.LastIndex(file.URI, "/")+1:]+": "+file.State+", "+file.Message, ", "))
		}
	}
	text := fmt.Sprintf("Forge: %d of %d files applied", done, len(result.Files))
	ap.dialog.Notify(ctx, kind, strings.Join(append([]string{text}, lines...), "\n"))
}

func hunks(n int) string {
	if n == 1 {
		return "1 hunk"
	}
	return fmt.Sprintf("%d hunks", n)
}

package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/proposal"
	"forge/internal/inert"
	"forge/patch"
)

// record hands what is verified to be in the files to the ledger. It records the accepted hunks alone:
// what the user typed at the same time is theirs, and undoing the run must not take it.
func (a *application) record(ctx context.Context, sent []proposal.FilePlan) {
	p := a.review.view()
	accepted := p.Accepted()
	var cs patch.ChangeSet
	for _, plan := range sent {
		if change, some := plan.Change(accepted); some {
			cs.Files = append(cs.Files, change)
		}
	}
	edit := a.edit
	a.edit = nil
	checkpoint, err := edit(context.WithoutCancel(ctx), cs)
	if err != nil {
		a.by.dialog.Notify(ctx, protocol.MessageTypeWarning, "Forge applied the change, but could not record it for undo: "+err.Error())
		return
	}
	if checkpoint != "" {
		a.checkpoint = checkpoint
	}
}

// plannedChanges are the files before and after, if the client applies everything that was sent.
func plannedChanges(sent []proposal.FilePlan) patch.ChangeSet {
	var set patch.ChangeSet
	for _, plan := range sent {
		if change, some := plan.Whole(); some {
			set.Files = append(set.Files, change)
		}
	}
	return set
}

// outcome reports, file by file, the state of the chosen hunks; a is how they came into the files, or nil.
func (ap *applier) outcome(r *Review, ids []string, a *application) api.ApplyResult {
	if a == nil {
		a = &application{}
	}
	p := r.view()
	result := api.ApplyResult{ProposalID: p.ID, Files: []api.FileState{}, Checkpoint: a.checkpoint, Checks: wireChecks(r)}
	result.Message = result.Checks.Note
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
		state := api.FileState{URI: string(ap.folders.URIOf(r.folder, file.Change.Path)), State: stateOf(count, chosen, a.sent[file.Change.Path])}
		state.Message = ap.remark(r, file.Change.Path, state.State, count, a.notes[file.Change.Path])
		result.Files = append(result.Files, state)
	}
	return result
}

func stateOf(count map[proposal.State]int, chosen int, sent bool) string {
	switch {
	case count[proposal.Accepted] == chosen:
		return "applied"
	case count[proposal.Accepted] > 0:
		return "partial"
	case sent:
		return stateSent
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
		parts = append(parts, fmt.Sprintf("%s left out: you changed the same lines", event.Count(n, "hunk")))
	}
	if n := count[proposal.Rejected]; n > 0 {
		parts = append(parts, event.Count(n, "hunk")+" rejected")
	}
	if (state == "applied" || state == "partial") && ap.folders.Unsaved(r.folder, path) {
		parts = append(parts, "not saved yet")
	}
	return strings.Join(parts, "; ")
}

// report shows the user the result of an apply, unless nothing is known yet. Rich clients show the result themselves.
func (ap *applier) report(ctx context.Context, result api.ApplyResult) {
	known := func(file api.FileState) bool { return file.State != stateSent }
	if ap.session.Features().Rich || !slices.ContainsFunc(result.Files, known) {
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
	if result.Message != "" && done > 0 {
		lines = append(lines, result.Message)
	}
	text := fmt.Sprintf("Forge: %d of %d files applied", done, len(result.Files))
	ap.dialog.Notify(ctx, kind, strings.Join(append([]string{text}, lines...), "\n"))
}

const (
	// settleWithin is how long a client that said "applied" may take to show it, and answerWithin the same while a request of the client
	// waits: Neovim collects changes for 150 ms, and Emacs reports none until it has its answer.
	settleWithin = 2 * time.Second
	answerWithin = 400 * time.Millisecond
	// settleQuiet ends the wait after the last change that was seen: what has not come by then was
	// left out by the client or the user.
	settleQuiet = 500 * time.Millisecond
	// settleAtMost ends the wait even while the user types.
	settleAtMost = 4 * time.Second
	// diskEvery is how often a file that is not open is checked.
	diskEvery = 50 * time.Millisecond
)

// await waits until the files are as planned, or it is clear that they will not be: applied proves
// nothing, and the change may come after the answer.
func (a *application) await(ctx context.Context, sent []proposal.FilePlan, before texts) {
	most := time.NewTimer(settleAtMost)
	defer most.Stop()
	quiet := time.NewTimer(a.patience)
	defer quiet.Stop()
	disk := time.NewTicker(diskEvery)
	defer disk.Stop()
	for {
		changed := a.by.changes.Wait()
		now, err := textsOf(a.by.folders, a.review.folder, a.review.view())
		if err != nil || asPlanned(sent, now) {
			return
		}
		if !now.same(before, sentPaths(sent)) {
			before = now
			quiet.Reset(settleQuiet)
		}
		select {
		case <-changed:
		case <-disk.C:
		case <-quiet.C:
			return
		case <-most.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// asPlanned reports whether every file is as its plan wants it.
func asPlanned(sent []proposal.FilePlan, now texts) bool {
	for _, plan := range sent {
		want := proposal.Current{Text: plan.Want, Exists: plan.Kind != patch.Delete}
		if plain(now[plan.Path]) != want {
			return false
		}
		if plan.Kind == patch.Move && now[plan.From].Exists {
			return false
		}
	}
	return true
}

// settle sets the state of every planned hunk by what is there now.
func (a *application) settle(plans []proposal.FilePlan) error {
	now, err := textsOf(a.by.folders, a.review.folder, a.review.view())
	if err != nil {
		return err
	}
	a.review.change(func(p *proposal.Proposal) {
		for _, plan := range plans {
			p.Confirm(plan, plain(now[plan.Path]))
			p.MarkConflict(plan.Conflicts)
		}
	})
	return nil
}

// judge reports whether to try again, and notes for each file why it was not applied. It does not repeat an edit that the user was asked about,
// and repeats one that the client refused or that typing overtook; but not the latter for a client without versions, which may have edited other
// lines.
func (a *application) judge(c *composer, before texts, answer reply) (again bool, err error) {
	accepted := a.review.view().Accepted()
	now, err := textsOf(a.by.folders, a.review.folder, c.proposal)
	if err != nil {
		return false, err
	}
	for _, plan := range c.sent {
		missing := 0
		for _, e := range plan.Edits {
			if !accepted[e.HunkID] {
				missing++
			}
		}
		if missing == 0 {
			delete(a.notes, plan.Path)
			continue
		}
		overtaken := !now.same(before, sentPaths([]proposal.FilePlan{plan}))
		a.cautious = a.cautious || !answer.applied
		a.notes[plan.Path] = a.excuse(c, answer, missing < len(plan.Edits))
		again = again || !c.confirm && (!answer.applied || overtaken && c.can.DocumentChanges)
	}
	return again, nil
}

// excuse returns why not all of a file was applied.
func (a *application) excuse(c *composer, answer reply, some bool) string {
	switch {
	case !answer.applied && c.confirm:
		return "not applied: it was not confirmed" + because(answer.reason)
	case !answer.applied:
		return "the editor refused the edit" + because(answer.reason)
	case some:
		return "the editor applied only a part of it"
	case c.confirm:
		return "not applied: it was not confirmed"
	default:
		return notYet
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + inert.OneLine(reason, 200)
}

package acp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"forge/api/service"
	"forge/engine/event"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/inert"
	"forge/patch"
)

// apply brings accepted files into the folder: texts through the client if it writes files, so that its open documents have them;
// deletions and moves, which the protocol does not have, and everything of other clients, on disk.
func (t *turn) apply(ctx context.Context, p *proposal.Proposal, paths []string, calls map[string]*sdk.SessionUpdateToolCall) error {
	w := writing{turn: t, proposal: p, states: map[string]service.FileState{}, notes: map[string]string{}}
	err := w.write(ctx, paths)
	done := 0
	for _, path := range paths {
		state, note := w.states[path], w.notes[path]
		if state == "" {
			note = "not applied"
		} else if note == "" {
			note = state.Why()
		}
		if state == service.FileApplied || state == service.FilePartial {
			done++
		}
		if note == "" {
			t.finish(calls[path], true)
			continue
		}
		t.finish(calls[path], state == service.FileApplied || state == service.FileSkipped, note)
		t.say(fmt.Sprintf("%s: %s", inert.Text(path), inert.Text(note)))
	}
	if err != nil {
		t.say("Not everything was applied: " + inert.Text(err.Error()))
	}
	if done > 0 {
		t.say(fmt.Sprintf("Applied %s. /undo takes the change back.", event.Count(done, "file")))
	}
	return nil
}

// writing is one way of accepted files into the folder.
type writing struct {
	turn     *turn
	proposal *proposal.Proposal
	states   map[string]service.FileState // by path; none for a file that was not tried
	notes    map[string]string            // by path
}

// write plans on the texts as they are now, and writes.
func (w *writing) write(ctx context.Context, paths []string) error {
	s := w.turn.session
	hunks, err := w.proposal.Select(proposal.Selection{Files: paths})
	if err != nil {
		return err
	}
	if err := s.agent.options.Engine.Recover(ctx, s.root); err != nil { // a plan must not be based on a half-written older change
		return err
	}
	plans, err := w.proposal.Plan(hunks, func(path string) (proposal.Current, error) { return s.current(ctx, path) })
	if err != nil {
		return err
	}
	var byClient, onDisk []proposal.FilePlan
	for _, plan := range plans {
		switch {
		case len(plan.Edits) == 0:
			w.states[plan.Path] = service.StateOf(plan)
		case s.agent.fs().WriteTextFile && (plan.Kind == patch.Create || plan.Kind == patch.Update):
			byClient = append(byClient, plan)
		case w.saved(plan):
			onDisk = append(onDisk, plan)
		}
	}
	if err := w.onDisk(ctx, onDisk); err != nil {
		return err
	}
	return w.byClient(ctx, byClient)
}

// saved reports whether a file on disk has the text that the user sees. One that has not is not written below the editor.
func (w *writing) saved(plan proposal.FilePlan) bool {
	path := plan.Path
	if plan.Kind == patch.Move {
		path = plan.From
	}
	disk, err := service.OnDisk(w.turn.session.root)(path)
	if err == nil && disk == plan.Current {
		return true
	}
	w.states[plan.Path], w.notes[plan.Path] = service.FileConflict, "it has unsaved changes: save it, then /resume offers the change again"
	return false
}

// onDisk writes files below the client, all or none.
func (w *writing) onDisk(ctx context.Context, plans []proposal.FilePlan) error {
	if len(plans) == 0 {
		return nil
	}
	s := w.turn.session
	applied, err := service.ApplyPlans(ctx, s.agent.options.Engine, s.root, w.proposal, plans, nil)
	for _, f := range applied.Files {
		w.states[f.Path] = f.State
	}
	return err
}

// byClient has the client write files, reads them back, and records what is really there. It is noted before the first write, so that
// it is not lost to undo if this process dies.
func (w *writing) byClient(ctx context.Context, plans []proposal.FilePlan) error {
	if len(plans) == 0 {
		return nil
	}
	s := w.turn.session
	for _, plan := range plans {
		if err := workspace.CheckTarget(s.root, plan.Path); err != nil { // a link on it that the client would follow
			return err
		}
	}
	record, err := s.agent.options.Engine.Prepare(ctx, s.root, w.proposal, service.Planned(plans))
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a cancelled turn must not leave a file out of the ledger
	for _, plan := range plans {
		w.file(ctx, plan)
	}
	if _, err := record(ctx, service.Accepted(w.proposal, plans)); err != nil {
		return fmt.Errorf("the change is applied, but it is not recorded for undo: %w", err)
	}
	return nil
}

// after reads a file that the client was asked to write; if the client does not answer, from disk.
func (w *writing) after(ctx context.Context, path string) proposal.Current {
	s := w.turn.session
	now, err := s.current(ctx, path)
	if err != nil {
		now, _ = service.OnDisk(s.root)(path)
	}
	return now
}

// file has the client write one file, unless its text has changed since the plan was made, and settles its hunks by what is there then.
func (w *writing) file(ctx context.Context, plan proposal.FilePlan) {
	s := w.turn.session
	if now, err := s.current(ctx, plan.Path); err != nil || now != plan.Current {
		w.states[plan.Path] = service.FileConflict
		if err != nil {
			w.notes[plan.Path] = err.Error()
		}
		return
	}
	failure := s.write(ctx, plan.Path, plan.Want)
	now := w.after(ctx, plan.Path)
	if now.Text == plan.Want+"\n" { // some clients add a line end to the text of an open document
		failure = s.write(ctx, plan.Path, strings.TrimSuffix(plan.Want, "\n"))
		now = w.after(ctx, plan.Path)
	}
	w.proposal.Confirm(plan, now)
	w.states[plan.Path] = service.StateOf(plan)
	if change, some := plan.Change(w.proposal.Accepted()); some && change.After == plan.Want {
		return
	}
	w.states[plan.Path] = service.FileConflict
	w.notes[plan.Path] = "the editor reported that it wrote the file, but the file has another text"
	if failure != nil {
		w.notes[plan.Path] = "the editor did not write it: " + failure.Error()
	}
}

package review

import (
	"log/slog"
	"slices"
	"strings"

	"go.lsp.dev/uri"

	"forge/api/service"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/transport"
	"forge/patch"
)

// Options are what a workflow works with.
type Options struct {
	Edits   Edits
	Offers  Offers
	Gates   service.Gates
	Runs    *editor.Runs
	Folders *editor.Folders
	Dialog  *editor.Dialog
	Client  *transport.Client
	Work    *transport.Tasks
	Log     *slog.Logger
	// Changed is called when a proposal or a text may have changed, Decided when hunks are offered, decided or withdrawn. They must not block.
	Changed, Decided func()
}

// Workflow is the objects between a proposal and the client's files.
type Workflow struct {
	Board    *Board
	Placer   *Placer
	Reviewer *Reviewer
	changes  *editor.Changes
}

// New joins them. Nothing is published until Board.Publish runs.
func New(p Options) *Workflow {
	reviews, changes, session := &reviews{}, editor.NewChanges(), p.Folders.Session
	shelf := &shelf{offers: p.Offers, reviews: reviews, folders: p.Folders, log: p.Log}
	placer := &Placer{reviews: reviews, folders: p.Folders}
	board := newBoard(p.Folders, placer, p.Client, p.Log)
	board.changed, board.moved = p.Changed, p.Decided
	applier := &applier{
		edits: p.Edits, folders: p.Folders, session: session, client: p.Client, dialog: p.Dialog, board: board, changes: changes,
		shelf: shelf, work: p.Work, turn: make(chan struct{}, 1), asking: make(chan string, 1),
	}
	reviewer := &Reviewer{
		reviews: reviews, shelf: shelf, gates: p.Gates, runs: p.Runs, folders: p.Folders, placer: placer, board: board, applier: applier, dialog: p.Dialog,
		client: p.Client, session: session, work: p.Work,
	}
	applier.taken = reviewer.recheck
	return &Workflow{Board: board, Placer: placer, Reviewer: reviewer, changes: changes}
}

// DocumentChanged wakes all that wait for it, on the read loop, when an open document changes.
func (w *Workflow) DocumentChanged(u uri.URI, what editor.BufferEvent) {
	w.changes.Notify()
	w.Board.touch(u, what)
	w.Board.changed()
}

// The source of a review's findings: a review of a run's changes, or of code that the user had reviewed.
const (
	runReview  = "review"
	codeReview = "review of code"
)

// planFile is the source of faults in plan files, which users edit.
const planFile = "plan"

// PlanSource is the source of the faults of a plan file.
func PlanSource(path string) Source { return Source{Part: path, Name: planFile} }

// stays reports whether findings stay when a run begins or ends: users work through them.
func (s Source) stays() bool { return s.Name == codeReview || s.Name == planFile }

// ReviewSource is the source of what either of them finds.
const ReviewSource = "forge/" + runReview

// sourceOf is the source of the diagnostics of a reviewer.
func sourceOf(name string) string {
	if name == codeReview {
		return ReviewSource
	}
	return "forge/" + inert.Text(name)
}

// review shows what the reviewer of a run found, in place of what it found before in that part of a plan, or in the whole.
func (b *Board) review(folder editor.Folder, runID, part string, findings []gate.Finding) {
	b.Replace(folder, Source{Part: part, Name: runReview}, findings)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reviewed[folder.Path] = runID
}

// decided records that the user has decided about all of a proposal. It removes the findings of its run's reviewer, and
// earlier findings in the files that were changed.
func (b *Board) decided(folder editor.Folder, p *proposal.Proposal) {
	b.mu.Lock()
	mine := b.reviewed[folder.Path] == p.RunID
	left := slices.Clone(b.findings[folder.Path][Source{Name: codeReview}])
	b.mu.Unlock()
	if mine {
		b.clearIf(folder, func(s Source) bool { return s.Name == runReview })
	}
	stale := func(f gate.Finding) bool {
		return slices.ContainsFunc(p.Files, func(c proposal.File) bool { return changed(c, f.Path) })
	}
	if slices.ContainsFunc(left, stale) {
		b.Replace(folder, Source{Name: codeReview}, slices.DeleteFunc(left, stale))
	}
}

// changed reports whether something of a proposal is in a file.
func changed(c proposal.File, path string) bool {
	return c.Change.Path == path && slices.ContainsFunc(c.Hunks, func(h proposal.Hunk) bool { return h.State == proposal.Accepted })
}

// Propose moves what the reviewer found to where it belongs in the files as they are now, while their changes are only
// proposed: the reviewer saw the files with them.
func (b *Board) Propose(folder editor.Folder, result execution.Result) {
	if result.Review == nil {
		return
	}
	var change patch.ChangeSet
	for _, file := range result.Proposal.Files {
		change.Files = append(change.Files, file.Change)
	}
	b.review(folder, result.Proposal.RunID, "", placedBefore(change, result.Review.Findings))
}

// before is a finding in the text that a change begins with: the line that it is about, or where that would be put in.
func before(change patch.FileChange, f gate.Finding) gate.Finding {
	last := max(f.EndLine, f.Line)
	f.Line = lineBefore(change, f.Line)
	if f.EndLine = lineBefore(change, last); f.EndLine <= f.Line {
		f.EndLine = 0
	}
	return f
}

// lineBefore is the line, from 1, before a change that corresponds to a line after it.
func lineBefore(c patch.FileChange, line int) int {
	at, was := 1, 1 // lines of both texts that begin at the same place
	done := 0       // bytes of the text before
	for _, e := range patch.Diff(c.Before, c.After) {
		same := newlines(c.Before[done:e.Start])
		if line < at+same {
			break
		}
		at, was = at+same, was+same
		put := newlines(e.New)
		if line < at+put {
			return was
		}
		at, was = at+put, was+newlines(c.Before[e.Start:e.End])
		done = e.End
	}
	return was + line - at
}

func newlines(text string) int { return strings.Count(text, "\n") }

package review

import (
	"log/slog"
	"maps"

	"go.lsp.dev/uri"

	"forge/api/service"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// Options are what a workflow works with.
type Options struct {
	Edits   Edits
	Sweeper service.Sweeper
	Runs    *editor.Runs
	Folders *editor.Folders
	Dialog  *editor.Dialog
	Client  *transport.Client
	Work    *transport.Tasks
	Log     *slog.Logger
}

// Workflow is the objects between a proposal and the client's files.
type Workflow struct {
	Board    *Board
	Placer   *Placer
	Reviewer *Reviewer
	deriver  *deriver
	changes  *changes
}

// New joins them. Nothing is published until Board.Publish runs.
func New(p Options) *Workflow {
	reviews, changes, session := newReviews(), newChanges(), p.Folders.Session
	placer := &Placer{reviews: reviews, folders: p.Folders}
	board := newBoard(p.Folders, placer, p.Client, p.Log)
	applier := &applier{
		edits: p.Edits, folders: p.Folders, session: session, client: p.Client, dialog: p.Dialog, board: board, changes: changes,
		work: p.Work, turn: make(chan struct{}, 1),
	}
	reviewer := &Reviewer{
		reviews: reviews, runs: p.Runs, folders: p.Folders, placer: placer, board: board, applier: applier, dialog: p.Dialog,
		client: p.Client, session: session, work: p.Work,
	}
	deriver := &deriver{
		edits: p.Edits, sweeper: p.Sweeper, folders: p.Folders, runs: p.Runs, applier: applier, reviewer: reviewer,
	}
	return &Workflow{Board: board, Placer: placer, Reviewer: reviewer, deriver: deriver, changes: changes}
}

// Commands are those of the reviewer and the deriver.
func (w *Workflow) Commands() editor.Commands {
	all := w.Reviewer.commands()
	maps.Copy(all, w.deriver.commands())
	return all
}

// DocumentChanged wakes all that wait for it, on the read loop, when an open document changes.
func (w *Workflow) DocumentChanged(u uri.URI, _ editor.BufferEvent) {
	w.changes.tell()
	w.Board.touch(u)
}

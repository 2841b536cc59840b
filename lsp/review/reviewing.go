package review

import (
	"log/slog"
	"maps"

	"go.lsp.dev/uri"

	"forge/api/service"
	"forge/lsp/command"
	"forge/lsp/document"
	"forge/lsp/editor"
	"forge/lsp/runs"
	"forge/lsp/transport"
)

// Parts is what a review works with.
type Parts struct {
	Edits   Edits
	Sweeper service.Sweeper
	Runs    *runs.Runs
	Folders *editor.Folders
	Dialog  *editor.Dialog
	Client  *transport.Client
	Work    *transport.Tasks
	Log     *slog.Logger
}

// Desk is the objects between a proposal and the client's files.
type Desk struct {
	Board    *Board
	Placer   *Placer
	Reviewer *Reviewer
	Deriver  *deriver
	changes  *changes
}

// New joins them. The board publishes when it is told to.
func New(p Parts) *Desk {
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
	return &Desk{Board: board, Placer: placer, Reviewer: reviewer, Deriver: deriver, changes: changes}
}

// Commands are those of the reviewer and the deriver.
func (d *Desk) Commands() command.Commands {
	all := d.Reviewer.commands()
	maps.Copy(all, d.Deriver.commands())
	return all
}

// DocumentChanged tells all who wait for it, on the read loop, that an open document changed.
func (d *Desk) DocumentChanged(u uri.URI, _ document.Event) {
	d.changes.tell()
	d.Board.touch(u)
}

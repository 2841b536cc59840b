package lsp

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/inert"
	"forge/patch"
)

// Engine is what the server needs of forge/engine.
type Engine interface {
	// Start begins a run and returns at once.
	Start(r engine.Request) (*engine.Run, error)
	// Prepare notes what the editor is about to be asked to change. What it gives writes into the ledger what
	// the editor has really changed, and returns the checkpoint.
	Prepare(ctx context.Context, root string, p *proposal.Proposal, planned patch.ChangeSet) (engine.Recording, error)
	// RecoverSeen settles what an earlier server had asked an editor to change, and did not see the end of.
	RecoverSeen(ctx context.Context, s workspace.Snapshot) error
	// Tidy brings to an end what killed processes have left half done in a folder and of it.
	Tidy(ctx context.Context, root string) error
	// Undo returns a proposal that takes back a run or checkpoint; an empty id is the last.
	Undo(ctx context.Context, root, id string) (*proposal.Proposal, error)
	// Doctor checks what runs need of the machine.
	Doctor(ctx context.Context) []engine.Check
	// Sweep works out a rename or a replacement in a folder, and writes nothing.
	Sweep(ctx context.Context, s workspace.Snapshot, name string, args json.RawMessage) (engine.Swept, error)
	// Explore asks one provider of the folder as it is.
	Explore(ctx context.Context, s workspace.Snapshot, provider string, args json.RawMessage) (engine.Explored, error)
	Kept
	Spending
	Batching
	Prompting
	Validating
}

// front is Forge's own part of a session: its runs, their questions, and their proposals on the way to
// consent. Everything the client sees of a run goes through here.
type front struct {
	server    *Server
	commands  map[string]commandHandler
	runs      *runs
	questions *questions
	reviews   *reviews
	board     *board
	changes   *changes
	surveys   *surveys
	composed  composed
	copies    copies
	following following
	// chosenMode and chosenDomain are those that the client's settings name; nil until they were read.
	chosenMode, chosenDomain atomic.Pointer[string]
	turn                     chan struct{} // holds one token: one edit at a time is on its way to the client
}

func newFront(s *Server) *front {
	f := &front{
		server:    s,
		runs:      newRuns(),
		questions: newQuestions(),
		reviews:   newReviews(),
		changes:   newChanges(),
		surveys:   newSurveys(s),
		turn:      make(chan struct{}, 1),
	}
	f.board = newBoard(f)
	f.commands = f.handlers()
	return f
}

// registerFront registers what is Forge's own: commands, code actions, progress and proposals.
func (s *Server) registerFront() {
	f := newFront(s)
	onRequest(s, protocol.MethodWorkspaceExecuteCommand, f.execute)
	onRequest(s, protocol.MethodTextDocumentCodeAction, f.codeActions)
	onNotification(s, protocol.MethodWindowWorkDoneProgressCancel, f.cancelProgress)
	f.registerSearch()
	f.registerSettings()
	f.registerOwnDocuments()
	f.registerLenses()
	s.onDocument(func(u uri.URI, _ documentEvent) {
		f.changes.tell()
		f.board.touch(u)
	})
	s.onInitialized(func() {
		s.Go("diagnostics", f.board.publish)
		s.Go("what was cut off", func(ctx context.Context) {
			f.tidy(ctx)
			f.offerInterrupted(ctx)
		})
	})
	s.announce(func(c *protocol.ServerCapabilities) {
		yes := true
		c.ExecuteCommandProvider = protocol.ExecuteCommandOptions{
			Commands:                api.Names(),
			WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: &yes},
		}
		c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: actionKinds()}
	})
}

func (f *front) client() *Client { return f.server.client }

// tell shows a person a message; where the client is gone there is nobody to tell.
func (f *front) tell(ctx context.Context, kind protocol.MessageType, text string) {
	if err := f.client().ShowMessage(context.WithoutCancel(ctx), kind, inert.Text(text)); err != nil {
		f.server.log.Debug("message not shown", "why", err)
	}
}

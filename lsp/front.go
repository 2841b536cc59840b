package lsp

import (
	"context"
	"maps"

	"forge/lsp/document"
	"forge/lsp/transport"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
)

// front is Forge's own part of a session. It makes the objects that answer, joins their commands and registers them; it owns nothing else.
//
//	runner ─► follower ─► reviewer ─► applier ─► the client's files
//	             │            └► placer          what else is there: deriver (undo, rename), history, interruptions,
//	             └► board, pages                 inspector, finder over surveys, actions, lenses, prompts, settings
type front struct {
	folders       *folders
	changes       *changes
	board         *board
	placer        *placer
	applier       *applier
	reviewer      *reviewer
	deriver       *deriver
	prompts       *prompts
	pages         *pages
	lenses        *lenses
	settings      *settings
	questioner    *questioner
	runner        *runner
	history       *history
	interruptions *interruptions
	finder        *finder
	actions       *actions
	inspector     *inspector
	commands      commands
}

func newFront(s *Server) *front {
	f := &front{folders: &folders{session: &s.session, docs: s.docs}, changes: newChanges()}
	f.makeReviewing(s)
	f.makePages(s)
	f.makeRuns(s)
	f.makeInspection(s)
	f.commands = f.handlers(s)
	return f
}

// makeReviewing makes the way from a proposal to the client's files.
func (f *front) makeReviewing(s *Server) {
	e, session := s.options.Engine, &s.session
	talk := &dialog{client: s.client, log: s.log}
	reviews, runs := newReviews(), newRuns()
	f.placer = &placer{reviews: reviews, folders: f.folders}
	f.board = newBoard(f.folders, f.placer, s.client, s.log)
	f.applier = &applier{
		edits: e.Edits, folders: f.folders, session: session, client: s.client, dialog: talk, board: f.board, changes: f.changes,
		work: s.tasks, turn: make(chan struct{}, 1),
	}
	f.reviewer = &reviewer{
		reviews: reviews, runs: runs, folders: f.folders, placer: f.placer, board: f.board, applier: f.applier, dialog: talk,
		client: s.client, session: session, work: s.tasks,
	}
	f.deriver = &deriver{
		edits: e.Edits, sweeper: e.Sweeper, folders: f.folders, runs: runs, applier: f.applier, reviewer: f.reviewer,
	}
	f.actions = &actions{folders: f.folders, placer: f.placer, session: session}
}

// makePages makes what shows documents of Forge's own, and what the client's settings say.
func (f *front) makePages(s *Server) {
	e := s.options.Engine
	f.prompts = &prompts{engine: e.Prompts, folders: f.folders}
	f.pages = &pages{
		specs: e.Specs, prompts: f.prompts, folders: f.folders, dialog: f.reviewer.dialog, client: s.client, session: &s.session,
		work: s.tasks, log: s.log,
	}
	f.lenses = &lenses{specs: e.Specs, standings: e.Standings, folders: f.folders}
	f.settings = &settings{client: s.client, session: &s.session, work: s.tasks, log: s.log, models: s.options.Configure}
}

// makeRuns makes what starts runs, follows them and reports on them.
func (f *front) makeRuns(s *Server) {
	e, session, runs := s.options.Engine, &s.session, f.reviewer.runs
	f.questioner = &questioner{questions: newQuestions(), runs: runs, session: session, client: s.client, work: s.tasks}
	f.runner = &runner{
		engine: e.Runner, store: e.Runs, tasks: e.Tasks, runs: runs, questions: f.questioner.questions, questioner: f.questioner,
		requests: &requests{folders: f.folders, settings: f.settings},
		follower: &follower{
			session: session, client: s.client, dialog: f.reviewer.dialog, board: f.board, reviewer: f.reviewer, pages: f.pages,
			work: s.tasks, log: s.log,
		},
		reviewer: f.reviewer, board: f.board, folders: f.folders, session: session, work: s.tasks,
	}
	f.history = &history{runs: runs, store: e.Runs, folders: f.folders, version: s.options.Version, model: s.options.Model}
	f.interruptions = &interruptions{
		edits: e.Edits, engine: e.Runner, store: e.Runs, runner: f.runner, folders: f.folders, dialog: f.reviewer.dialog,
		now: s.options.Now, log: s.log,
	}
}

// makeInspection makes what looks at folders and the machine.
func (f *front) makeInspection(s *Server) {
	e := s.options.Engine
	f.finder = &finder{surveys: newSurveys(s), folders: f.folders, prompts: f.prompts}
	f.inspector = &inspector{
		machine: e.Machine, gates: e.Gates, folders: f.folders, session: &s.session, board: f.board,
		survey: s.options.Models, modelChecks: s.options.ModelChecks,
	}
}

// handlers says who runs each command of api.Table.
func (f *front) handlers(s *Server) commands {
	all := storeCommands(f.folders, s.options.Engine, s.options.Now)
	all[api.Answer] = handler(f.questioner.answer)
	for _, some := range []commands{
		f.runner.commands(), f.history.commands(), f.reviewer.commands(), f.deriver.commands(), f.pages.commands(),
		f.finder.commands(), f.inspector.commands(),
	} {
		maps.Copy(all, some)
	}
	return all
}

// registerFront registers what is Forge's own: commands, code actions, progress and proposals.
func (s *Server) registerFront() {
	f := newFront(s)
	transport.OnRequest(s.dispatcher, protocol.MethodWorkspaceExecuteCommand, f.execute)
	transport.OnRequest(s.dispatcher, protocol.MethodTextDocumentCodeAction, f.actions.codeActions)
	transport.OnNotification(s.dispatcher, protocol.MethodWindowWorkDoneProgressCancel, f.runner.cancelProgress)
	f.finder.register(s)
	f.settings.register(s)
	f.pages.register(s)
	f.lenses.register(s)
	s.onDocument(func(u uri.URI, _ document.Event) {
		f.changes.tell()
		f.board.touch(u)
	})
	s.onInitialized(func() {
		s.Go("diagnostics", f.board.publish)
		s.Go("what was cut off", func(ctx context.Context) {
			f.interruptions.tidy(ctx)
			f.interruptions.offerInterrupted(ctx)
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

// execute answers workspace/executeCommand. An unknown command and wrong arguments are InvalidParams
// with a text that names the field and what it may be.
func (f *front) execute(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	args, err := api.Decode(p.Command, p.Arguments)
	if err != nil {
		return nil, answerable(err)
	}
	result, err := f.commands[p.Command](ctx, args)
	return result, answerable(err)
}

package lsp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/history"
	"forge/lsp/editor"
	"forge/lsp/index"
	"forge/lsp/review"
	"forge/lsp/transport"
)

// front is Forge's own part of a session. It creates the objects that answer commands, and registers the commands; it owns nothing else.
//
//	runner ─► follower ─► review ─► the client's files
//	             └► board, pages             besides: history, interruptions, inspector,
//	                                         finder over surveys, actions, lenses, prompts, settings
type front struct {
	session       *editor.Session
	folders       *editor.Folders
	dialog        *editor.Dialog
	runs          *editor.Runs
	review        *review.Workflow
	deriver       *deriver
	prompts       *prompts
	pages         *pages
	lenses        *lenses
	plans         *planFiles
	listener      *listener
	settings      *settings
	questioner    *questioner
	runner        *runner
	history       *runHistory
	interruptions *interruptions
	surveys       *index.Surveys
	finder        *index.Finder
	actions       *actions
	inspector     *inspector
	commands      editor.Commands
}

func newFront(s *Server) *front {
	e := s.options.Engine
	f := &front{session: &s.session, folders: editor.NewFolders(&s.session, s.docs), dialog: editor.NewDialog(s.client, s.log), runs: editor.NewRuns()}
	f.review = review.New(review.Options{
		Edits: e.Edits, Offers: e.Offers, Gates: e.Gates, Runs: f.runs, Folders: f.folders, Dialog: f.dialog, Client: s.client, Work: s.tasks, Log: s.log,
		Changed: func() { f.pages.following.poke() }, Decided: func() { f.lenses.hunksChanged() },
	})
	f.deriver = &deriver{edits: e.Edits, sweeper: e.Sweeper, folders: f.folders, runs: f.runs, reviewer: f.review.Reviewer}
	f.actions = &actions{folders: f.folders, placer: f.review.Placer, session: f.session}
	f.makePages(s)
	f.makeRuns(s)
	f.makeInspection(s)
	f.commands = f.handlers(s)
	return f
}

// makePages creates the objects for Forge's own documents and for the client's settings.
func (f *front) makePages(s *Server) {
	e := s.options.Engine
	f.settings = &settings{client: s.client, session: f.session, work: s.tasks, log: s.log, models: s.options.Configure}
	f.prompts = &prompts{engine: e.Prompts, folders: f.folders, settings: f.settings}
	f.pages = &pages{
		specs: e.Specs, runs: e.Reader, prompts: f.prompts, reviewer: f.review.Reviewer, folders: f.folders, dialog: f.dialog, client: s.client, session: f.session,
		work: s.tasks, log: s.log, following: newFollowing(),
	}
	f.lenses = &lenses{
		specs: e.Specs, standings: e.Standings, placer: f.review.Placer, folders: f.folders, session: f.session, client: s.client, work: s.tasks, log: s.log,
	}
	f.listener = &listener{feed: e.Turns, runs: f.runs, folders: f.folders, session: f.session, client: s.client, work: s.tasks, now: s.options.Now, log: s.log}
	f.plans = &planFiles{folders: f.folders, board: f.review.Board, engine: e.Commands}
}

// makeRuns creates the objects that start, follow and report runs.
func (f *front) makeRuns(s *Server) {
	e := s.options.Engine
	f.questioner = &questioner{questions: newQuestions(), runs: f.runs, session: f.session, client: s.client, copies: &f.pages.copies, work: s.tasks}
	f.runner = &runner{
		engine: e.Runner, store: e.Runs, tasks: e.Tasks, runs: f.runs, questions: f.questioner.questions, questioner: f.questioner,
		requests: &requests{folders: f.folders, settings: f.settings, plans: f.plans},
		follower: &follower{
			session: f.session, client: s.client, dialog: f.dialog, board: f.review.Board, reviewer: f.review.Reviewer, pages: f.pages,
			work: s.tasks, log: s.log,
		},
		reviewer: f.review.Reviewer, board: f.review.Board, folders: f.folders, session: f.session, work: s.tasks,
	}
	f.history = &runHistory{runs: f.runs, store: e.Runs, reader: e.Reader, folders: f.folders, version: s.options.Version, model: s.options.Model}
	f.interruptions = &interruptions{
		edits: e.Edits, engine: e.Runner, store: e.Runs, runner: f.runner, folders: f.folders, dialog: f.dialog,
		now: s.options.Now, log: s.log,
	}
}

// makeInspection creates the objects that inspect folders and the machine.
func (f *front) makeInspection(s *Server) {
	e := s.options.Engine
	f.surveys = index.NewSurveys(s.options.Atlas, f.folders, s.client, s.tasks, s.options.Now, s.log)
	f.finder = index.NewFinder(f.surveys, f.folders, f.prompts.prompt)
	f.inspector = &inspector{
		machine: e.Machine, gates: e.Gates, folders: f.folders, session: f.session, board: f.review.Board,
		survey: s.options.Models, modelChecks: s.options.ModelChecks,
	}
}

// handlers returns the handler of each command of api.Table.
func (f *front) handlers(s *Server) editor.Commands {
	all := storeCommands(f.folders, s.options.Engine, s.options.Now)
	maps.Copy(all, editor.Commands{
		api.Run:            editor.Handler(f.runner.run),
		api.AskQuestion:    editor.Handler(f.runner.ask),
		api.ReviewCode:     editor.Handler(f.runner.reviewCode),
		api.ReviewFinal:    editor.Handler(f.runner.reviewFinal),
		api.GenerateSpec:   editor.Handler(f.runner.generateSpec),
		api.Cancel:         editor.Handler(f.runner.cancel),
		api.Kill:           editor.Handler(f.runner.kill),
		api.Resume:         editor.Handler(f.runner.resume),
		api.Retry:          editor.Handler(f.runner.retry),
		api.ResumeTask:     editor.Handler(f.runner.resumeTask),
		api.RejectProposal: editor.Handler(f.runner.reject),
		api.Answer:         editor.Handler(f.questioner.answer),
		api.Runs:           editor.Handler(f.history.listRuns),
		api.ShowRun:        editor.Handler(f.history.show),
		api.Events:         editor.Handler(f.history.events),
		api.Log:            editor.Handler(f.history.log),
		api.Status:         editor.Handler(f.history.status),
		api.ShowDocument:   editor.Handler(f.pages.showOwnDocument),
		api.Conversations:  editor.About(f.folders, s.options.Engine.Threads, service.Conversations),
		api.Worktrees:      editor.About(f.folders, s.options.Engine.Trees, service.Worktrees),
		api.RollbackSpec:   editor.About(f.folders, s.options.Engine.Specs, f.pages.rollback),
		api.Doctor:         editor.Handler(f.inspector.doctor),
		api.Models:         editor.Handler(f.inspector.models),
		api.Validate:       editor.Handler(f.inspector.validate),
		api.ClassifyTask:   editor.Handler(func(_ context.Context, a *api.ClassifyArgs) (api.Class, error) { return api.Classify(*a), nil }),
	})
	maps.Copy(all, permissionCommands(f.folders, s.options.Engine.Permissions))
	maps.Copy(all, f.review.Reviewer.Commands())
	maps.Copy(all, f.deriver.commands())
	maps.Copy(all, f.finder.Commands())
	for _, name := range consulting() {
		all[name] = f.settings.before(all[name])
	}
	return all
}

// registerFront registers what is Forge's own: commands, code actions, progress and proposals.
func (s *Server) registerFront() {
	f := newFront(s)
	transport.OnRequest(s.dispatcher, protocol.MethodWorkspaceExecuteCommand, f.execute)
	transport.OnRequest(s.dispatcher, protocol.MethodTextDocumentCodeAction, f.actions.codeActions)
	transport.OnNotification(s.dispatcher, protocol.MethodWindowWorkDoneProgressCancel, f.runner.cancelProgress)
	transport.OnRequest(s.dispatcher, protocol.MethodWorkspaceSymbol, f.finder.WorkspaceSymbol)
	transport.OnNotification(s.dispatcher, protocol.MethodWorkspaceDidChangeWatchedFiles, f.surveys.DidChangeFiles)
	s.onDocument(f.surveys.Mark)
	f.settings.register(s)
	f.pages.register(s)
	f.lenses.register(s)
	s.onDocument(f.review.DocumentChanged)
	s.onDocument(f.plans.observe)
	s.onInitialized(f.listener.begin)
	s.onInitialized(func() {
		s.Go("diagnostics", f.review.Board.Publish)
		s.Go("what was cut off", func(ctx context.Context) {
			f.interruptions.tidy(ctx)
			f.interruptions.offerInterrupted(ctx)
		})
	})
	s.announce(func(c *protocol.ServerCapabilities) {
		if s.options.Atlas != nil {
			c.WorkspaceSymbolProvider = protocol.Boolean(true)
		}
		c.ExecuteCommandProvider = protocol.ExecuteCommandOptions{Commands: api.Names()} // a run has a progress of its own: it outlives the request
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

// permissionCommands are the commands about what the user has allowed models to do.
func permissionCommands(f *editor.Folders, e service.PermissionStore) editor.Commands {
	return editor.Commands{
		api.Audit:            editor.About(f, e, service.Audit),
		api.ListPermissions:  editor.About(f, e, service.ListPermissions),
		api.ResetPermissions: editor.About(f, e, service.ResetPermissions),
	}
}

// storeCommands are the commands that need nothing of the session but the folder.
func storeCommands(f *editor.Folders, e Engine, now func() time.Time) editor.Commands {
	return editor.Commands{
		api.Checkpoints:   editor.About(f, e.Ledger, service.Checkpoints),
		api.Iterations:    editor.About(f, e.Attempts, service.Iterations),
		api.GC:            editor.About(f, e.Stored, service.GC),
		api.ShowProject:   editor.About(f, e.Stored, service.ShowProject),
		api.ListProjects:  editor.Anywhere(e.Stored, service.ListProjects),
		api.ListSessions:  editor.Anywhere(e.Stored, service.ListSessions),
		api.ShowSpec:      editor.About(f, e.Specs, service.ShowSpec),
		api.DiffSpec:      editor.About(f, e.Specs, service.DiffSpec),
		api.ReadMemory:    editor.About(f, e.Memory, service.ReadMemory),
		api.SetMemory:     editor.About(f, e.Memory, service.SetMemory),
		api.ListMemory:    editor.About(f, e.Memory, service.ListMemory),
		api.SearchMemory:  editor.About(f, e.Memory, service.SearchMemory),
		api.WhyMemory:     editor.About(f, e.Memory, service.WhyMemory),
		api.ForgetMemory:  editor.About(f, e.Memory, service.ForgetMemory),
		api.ExportMemory:  editor.About(f, e.Memory, service.ExportMemory),
		api.ImportMemory:  editor.About(f, e.Memory, service.ImportMemory),
		api.ShowDecay:     editor.About(f, e.Memory, service.ShowDecay),
		api.ClearLearning: editor.About(f, e.Memory, service.ClearLearning),
		api.IndexMemory:   editor.About(f, e.Memory, service.IndexMemory),
		api.PruneMemory:   editor.About(f, e.Memory, service.PruneMemory),
		api.Playbooks:     editor.About(f, e.Memory, service.Playbooks),
		api.Extract: editor.About(f, e.Memory, func(ctx context.Context, e service.MemoryStore, in service.Folder, a *api.ExtractArgs) (api.ExtractResult, error) {
			return service.Extract(ctx, e, in, now(), a)
		}),
		api.TaskHistory: editor.About(f, e.Tasks, func(ctx context.Context, e service.TaskStore, in service.Folder, a *api.HistoryArgs) (api.HistoryResult, error) {
			return service.History(ctx, e, in, now(), a)
		}),
		api.ListTasks:   editor.About(f, e.Tasks, service.ListTasks),
		api.SearchTasks: editor.About(f, e.Tasks, service.SearchTasks),
		api.ShowTask:    editor.About(f, e.Tasks, service.ShowTask),
		api.ForkTask:    editor.About(f, e.Tasks, service.ForkTask),
		api.MoveTask:    editor.About(f, e.Tasks, service.MoveTask),
		api.DeleteTask:  editor.About(f, e.Tasks, service.DeleteTask),
		api.ListSkills:  editor.About(f, e.Skills, service.ListSkills),
		api.ListAgents:  editor.About(f, e.Agents, service.ListAgents),
		api.ShowAgent:   editor.About(f, e.Agents, service.ShowAgent),
		api.ListErrands: editor.About(f, e.Agents, service.ListErrands),
		api.DetectGates: editor.About(f, e.Gates, service.DetectGates),
		api.Explore:     editor.About(f, e.Explorer, service.Explore),
		api.ListFiles:   editor.About(f, e.Files, service.ListFiles),
		api.SearchFiles: editor.About(f, e.Files, service.SearchFiles),
		api.FilesStatus: editor.About(f, e.Files, service.StatusOfFiles),
		api.ReadFile:    editor.About(f, e.Files, service.ReadFile),
		api.ClearCache:  editor.Anywhere(e.Costs, service.ClearCache),
		api.ListBatches: editor.Anywhere(e.Batches, service.ListBatches),
		api.ShowCost: editor.Anywhere(e.Costs, func(ctx context.Context, e service.CostStore, a *api.CostArgs) (api.CostResult, error) {
			return service.ShowCost(ctx, e, now(), a)
		}),
		api.PollBatches: editor.Anywhere(e.Batches, func(ctx context.Context, e service.BatchStore, a *api.BatchPollArgs) (api.BatchesResult, error) {
			return service.PollBatches(ctx, e, func(api.BatchesResult) {}, a)
		}),
	}
}

// Engine is what a server needs of forge/engine, subject by subject. Commands about a subject that is nil are answered with an error.
type Engine struct {
	Runner    service.Runner
	Edits     review.Edits
	Offers    review.Offers
	Prompts   service.Prompts
	Standings Standings

	Runs     service.RunStore
	Reader   service.RunReader
	Threads  service.ConversationStore
	Turns    TurnFeed
	Trees    service.WorktreeStore
	Attempts service.AttemptStore
	Ledger   service.Ledger
	Tasks    service.TaskStore
	Specs    service.SpecStore
	Memory   service.MemoryStore
	Stored   service.Inventory
	Costs    service.CostStore
	Batches  service.BatchStore
	Skills   service.SkillStore
	Agents   service.AgentStore
	Gates    service.Gates
	Machine  service.Machine
	Explorer service.Explorer
	Files    service.FileStore
	Sweeper  service.Sweeper

	Permissions service.PermissionStore
	Commands    PlanCommands
	Restrictor  Restrictor
}

// EngineOf returns an Engine whose subjects are all e.
func EngineOf(e *engine.Engine) Engine {
	return Engine{
		Runner: e, Edits: e, Offers: e, Prompts: e, Standings: e, Runs: e, Reader: e, Threads: e, Turns: e, Trees: e, Attempts: e, Ledger: e, Tasks: e, Specs: e,
		Memory: e, Stored: e, Costs: e, Batches: e, Skills: e, Agents: e, Gates: e, Machine: e, Explorer: e, Files: e, Sweeper: e, Permissions: e, Commands: e, Restrictor: e,
	}
}

// AtlasOf returns a function that returns an engine's index of a folder.
func AtlasOf(e *engine.Engine) func(ctx context.Context, root string) (index.Atlas, error) {
	return func(ctx context.Context, root string) (index.Atlas, error) {
		a, err := e.Atlas(ctx, root)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
}

// Standings returns the open findings of reviews about versions of a specification.
type Standings interface {
	SpecStanding(ctx context.Context, root string, version int) (history.SpecStanding, error)
}

// answerable converts an error of a command to the error of a response, with its remedy.
func answerable(err error) error {
	known := service.RemedyOf(err)
	if known == "" {
		return inWords(err)
	}
	data, encoded := protocol.Marshal(api.ErrorData{Remedy: known})
	if encoded != nil {
		return inWords(err)
	}
	return transport.WithData(inWords(err), data)
}

// inWords converts an error of a command for the user: a wrong argument becomes InvalidParams, and other errors get advice.
func inWords(err error) error {
	switch service.FaultOf(err) {
	case service.WrongInput, service.Illegal, service.NotThere, service.Collected:
		return transport.InvalidParams("%v", err)
	case service.NoSuchRun:
		return transport.InvalidParams("This run does not exist any more (%v). The list of runs shows what there is.", err)
	case service.NoSuchBatch:
		return transport.InvalidParams("%v. The list of batches shows what there is.", err)
	case service.Busy:
		return fmt.Errorf("%w. Wait until it is done; the list of sessions shows who works on it", err)
	case service.NotTrusted:
		if errors.Is(err, engine.ErrRestricted) {
			return err
		}
		return fmt.Errorf("%w. If you trust it: forge validate --trust in a terminal, or confirm when a run asks", err)
	case service.NoFault, service.Failed, service.OtherVersion, service.Cancelled:
	}
	return err
}

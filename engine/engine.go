// Package engine is the facade for the fronts: it starts, follows and cancels runs, and opens the
// packages that do the rest. It knows neither LSP nor a terminal.
//
// Invariant: the engine writes only inside scratch trees and its own state folder. A run returns its
// change as a proposal; fronts write it, after consent.
package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"forge/codeintel"
	"forge/engine/activity"
	"forge/engine/agent"
	"forge/engine/batch"
	"forge/engine/checks"
	"forge/engine/execution"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/history"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/prompt"
	"forge/engine/sandbox"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/engine/tool"
)

// Options are what an engine needs from the outside.
type Options struct {
	// StateDir is Forge's own folder: shadow repositories, ledger, trusted folders. It is created on
	// first use.
	StateDir string
	// Chooser chooses the model of each call. Its error describes what the user can do.
	Chooser llm.Chooser
	// Batcher returns a provider's batch interface for batches that no caller in this process waits for; nil finds none.
	Batcher batch.Finder
	// Settings returns the settings of a folder; nil returns the zero Settings.
	Settings func(ctx context.Context, folder string) Settings
	// Outliner finds the symbols of files; nil leaves them out.
	Outliner codeintel.Outliner
	// OutlinerVersion changes whenever the outliner would find other symbols in some text: its results are kept.
	OutlinerVersion string
	// Guarded are the user's folders with settings, which no gate and no command may write into, like StateDir and the folders that
	// the engine works for.
	Guarded []string
	// Languages are those whose projects are checked; nil means all that Forge knows.
	Languages []gate.Language
	// Environ is the source of the environment variables that gates may see.
	Environ []string
	// Notice receives unrequested messages for the user, such as the outcome of an interrupted change. It may
	// be called from any goroutine; nil drops them.
	Notice func(text string)
	// Skills are the folders of the user's own skills; those of a trusted folder precede them.
	Skills []prompt.SkillRoot
	// Agents are the folders of the user's own agents; those of a trusted folder precede them.
	Agents []agent.Root
	// Secrets knows the secrets that must not leave Forge; nil knows patterns only. It learns those of a folder when the folder is
	// trusted.
	Secrets *secret.Redactor
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Settings are the user's settings for the runs of a folder.
type Settings struct {
	Limits execution.Limits // for runs that name none; zero means the default
	Mode   string           // for runs that name none; empty means the default
	Checks checks.Settings  // how changes are checked, besides Forge's own detection
	Cache  bool             // keeps answers of models, so that the same question at temperature 0 is billed once
	// Roles are the tiers of the roles of a run.
	Roles map[string]llm.Tier
	// Notices are messages about the settings, such as an entry that has no effect. A front that uses the settings without asking a
	// model passes them on; the choice of a model contains them too.
	Notices []string
	// Err is why the settings could not be read: then nothing is checked, because their content is unknown.
	Err error
	// KeepFormat leaves files as models wrote them, without a formatter.
	KeepFormat bool
	// Steps limits the exchanges with models in a run, and ToolCalls the tools that models may call; 0 means the default.
	Steps, ToolCalls int
	// Patience limits how long a node works. A folder cannot set it.
	Patience execution.Patience
	// NoReview leaves the reviewer out of runs: gates alone decide. A folder cannot set it.
	NoReview bool
	// Skills are folders of the user's skills besides Options.Skills, and Guides the names of a project's instruction files; no
	// names means the usual ones. A folder can set neither.
	Skills []prompt.SkillRoot
	Guides []string
	Bounds mode.Bounds // for runs that name none; zero means the default
	Domain string      // for runs that name none; empty means none
	// Grants are what tools may do beyond the tree of a run, and Web reads pages for them within the grants; nil reads none. A
	// folder can set neither.
	Grants tool.Grants
	Web    tool.Web
	// MCP opens a session of the user's MCP servers for a run; nil if they have none. A run that is offline reaches only those of this machine. A
	// folder cannot set it.
	MCP func(offline bool) tool.MCPSession
}

// Engine starts runs. Close waits for them.
type Engine struct {
	*history.Ledger  // accepted changes, which can be undone
	*history.History // stored runs
	*activity.Calls  // shared by all model calls: costs, kept answers, batches
	*history.Notes   // memory, specifications and tasks, as users read and edit them
	folders          // trust, memory and disk usage of folders
	consents         // decisions about tools of models
	contents         // files of folders
	worktrees        // scratch trees of folders
	transcripts      // what stored runs asked and proposed

	options Options
	state   *state.State
	runner  sandbox.Runner
	secrets execution.Secrets
	checks  *checks.Checkers
	atlases *atlases
	host    *execution.Host // shared by the executions of runs

	active execution.Active
	suites *checks.Suites
	ctx    context.Context //nolint:containedctx // the lifetime of all runs, ended by Close
	stop   context.CancelCauseFunc
}

// New returns an engine. It does no I/O.
func New(o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Secrets == nil {
		o.Secrets = secret.New()
	}
	runner := sandbox.New(sandbox.Options{Environ: o.Environ})
	kept := state.New(state.Options{Dir: o.StateDir, Now: o.Now, Notice: o.Notice, Runner: runner, Secrets: o.Secrets})
	accepted := history.NewLedger(kept)
	e := &Engine{
		Calls:   activity.NewCalls(activity.CallsOptions{State: kept, Secrets: o.Secrets, Batcher: o.Batcher}),
		folders: kept, consents: consents{kept}, contents: contents{kept}, worktrees: worktrees{kept, accepted}, Ledger: accepted, History: history.New(kept, accepted, execution.Code), options: o, state: kept, secrets: execution.NewSecrets(o.Secrets, kept.Notify), runner: runner,
	}
	e.checks = checks.New(checks.Options{
		State: kept, Runner: runner, Guarded: o.Guarded, Languages: o.Languages, Outliner: o.Outliner, Redact: e.secrets.Document, Now: o.Now,
		Settings: func(ctx context.Context, folder string) checks.Settings { return e.settings(ctx, folder).Checks },
	})
	e.Notes = history.NewNotes(history.NotesOptions{State: kept, Secrets: o.Secrets, Runs: e, Review: execution.ReviewOf})
	e.ctx, e.stop = context.WithCancelCause(context.Background())
	e.suites = checks.NewSuites(e.ctx)
	e.atlases = &atlases{open: e.openAtlas, notify: kept.Notify, patience: defaultPatience, ctx: e.ctx}
	e.host = &execution.Host{
		State: kept, Ledger: accepted, History: e.History, Calls: e.Calls, Checks: e.checks, Secrets: e.secrets,
		Chooser: o.Chooser, Outliner: o.Outliner, Skills: o.Skills, Agents: o.Agents, Settings: e.runSettings, Atlas: e.atlases.patient, Pool: graph.Goroutines, Suites: e.suites, Now: o.Now,
	}
	e.transcripts = transcripts{e.History, kept, e.host, e.secrets}
	return e
}

// Start starts a run and returns at once. Every later failure is an event of the run.
func (e *Engine) Start(r Request) (*execution.Run, error) {
	r, err := e.withTask(r)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Task) == "" && len(r.Direct) == 0 {
		return nil, errors.New("there is no task: describe what to do")
	}
	if r, err = e.continued(r); err != nil {
		return nil, err
	}
	asked, set := r.Limits, e.settings(e.ctx, r.Snapshot.Root)
	if r, err = r.redacted(e.secrets).settled(set); err != nil {
		return nil, err
	}
	p := paramsOf(r, set)
	p.Asked = asked
	l := e.host.New("r-"+state.NewID(), r.Asker, p)
	l.Run.Recipe = r.Recipe
	if err := e.begin(l.Run, l.Start); err != nil {
		return nil, err
	}
	return l.Run, nil
}

// settings returns the settings of a folder.
func (e *Engine) settings(ctx context.Context, folder string) Settings {
	if e.options.Settings == nil {
		return Settings{}
	}
	return e.options.Settings(ctx, folder)
}

// runSettings returns the settings that executions of runs read.
func (e *Engine) runSettings(ctx context.Context, folder string) execution.Settings {
	s := e.settings(ctx, folder)
	return execution.Settings{Cache: s.Cache, Grants: s.Grants, Web: s.Web, MCP: s.MCP, Skills: s.Skills, Guides: s.Guides, Patience: s.Patience}
}

// Close interrupts every run, waits for them, and closes everything. No run can be started afterwards; the
// next engine can resume the interrupted ones.
func (e *Engine) Close() {
	e.active.Close(func() { e.stop(flow.ErrReleased) })
	e.suites.Close()
	e.atlases.close()
	e.Calls.Close()
	e.state.Close()
}

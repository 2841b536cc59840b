// Package engine is the facade the fronts stand on: it starts runs, lets them be followed and
// cancelled, and opens the rooms in which the rest is done. It knows neither LSP nor a terminal.
//
// Invariant: the engine writes only inside scratch trees and its own state folder. What a run wants
// to change comes back as a proposal; fronts write it, after consent.
package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"forge/codeintel"
	"forge/engine/activity"
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
	// Chooser chooses the model of each call. Its error tells the user what to do.
	Chooser llm.Chooser
	// Batcher finds who speaks with a provider about batches that nobody waits for in this process; nil finds nobody.
	Batcher batch.Finder
	// Batch is how long what is asked by batch waits for what; zero is the default.
	Batch batch.Timing
	// Settings are those that hold in a folder; nil is the zero Settings everywhere.
	Settings func(ctx context.Context, folder string) Settings
	// Outliner finds the symbols of files; nil leaves them out.
	Outliner codeintel.Outliner
	// OutlinerVersion is another one whenever the outliner would find other symbols in some text: what it found is kept.
	OutlinerVersion string
	// Guarded are folders of the user's that no gate and no command may write into, beside StateDir and the folders that the engine works
	// for: where their settings are.
	Guarded []string
	// Languages are those whose projects are checked; nil is all that Forge knows.
	Languages []gate.Language
	// Environ is the environment that gates' allow-listed variables are taken from.
	Environ []string
	// Notice receives what the user should know and did not ask for: what became of a change that was cut off.
	// It may be called from any goroutine; nil drops it.
	Notice func(text string)
	// Skills are the folders of the user's own skills; those of a trusted folder come before them.
	Skills []prompt.SkillRoot
	// Secrets knows what must leave Forge nowhere; nil knows patterns only. What folders hold is learned when they are trusted.
	Secrets *secret.Redactor
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Settings are what the user set for the runs of a folder.
type Settings struct {
	Limits execution.Limits // of runs that name none; zero means the default
	Mode   string           // of runs that name none; empty means the default
	Checks checks.Settings  // how what runs make is checked, beside what Forge finds out itself
	Cache  bool             // answers of models are kept, so that the same question at temperature 0 is bought once
	// Notices are what the user should know of their settings, such as what was left out because it means nothing. A front that works by
	// the settings without asking a model passes them on; the choice of a model has them too.
	Notices []string
	// Err is why they could not be read at all: nothing is checked by settings of which nobody knows what they say.
	Err error
	// KeepFormat leaves files as models wrote them: no formatter touches them.
	KeepFormat bool
	// Steps is how many exchanges with models a run may have, and ToolCalls how many tools models may use in turns; 0 means
	// the default.
	Steps, ToolCalls int
	// NoReview leaves the reviewer out of runs: gates alone decide. A folder cannot set it.
	NoReview bool
	// Skills are folders of the user's skills beside Options.Skills, and Guides the names of files in which a project says how it
	// wants changes to be; no names are the usual ones. A folder can set neither.
	Skills []prompt.SkillRoot
	Guides []string
	Bounds mode.Bounds // of runs that name none; a zero means the default
	Domain string      // of runs that name none; empty means none
	// Grants are what tools may do beyond the tree of a run, and Web reads pages for them as far as the grants say; nil reads none. A
	// folder can set neither.
	Grants tool.Grants
	Web    tool.Web
}

// Engine starts runs. Close waits for them.
type Engine struct {
	*history.Ledger  // what was accepted, and can be undone
	*history.History // what is kept of runs
	*activity.Calls  // what calls of models share: costs, kept answers, batches
	*history.Notes   // memory, specifications and tasks, as users read and change them

	options Options
	state   *state.State
	runner  sandbox.Runner
	secrets execution.Secrets
	checks  *checks.Checkers
	atlases *atlases
	host    *execution.Host // what executions of runs stand on

	active execution.Active
	suites *execution.Suites
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
		Calls:  activity.NewCalls(activity.CallsOptions{State: kept, Secrets: o.Secrets, Batcher: o.Batcher, Timing: o.Batch}),
		Ledger: accepted, History: history.New(kept, accepted, execution.Code), options: o, state: kept, secrets: execution.NewSecrets(o.Secrets, kept.Notify), runner: runner,
	}
	e.checks = checks.New(checks.Options{
		State: kept, Runner: runner, Guarded: o.Guarded, Languages: o.Languages, Outliner: o.Outliner, Redact: e.secrets.Document, Now: o.Now,
		Settings: func(ctx context.Context, folder string) checks.Settings { return e.settings(ctx, folder).Checks },
	})
	e.Notes = history.NewNotes(history.NotesOptions{State: kept, Secrets: o.Secrets, Runs: e, Review: execution.ReviewOf})
	e.ctx, e.stop = context.WithCancelCause(context.Background())
	e.suites = execution.NewSuites(e.ctx)
	e.atlases = &atlases{open: e.openAtlas, notify: kept.Notify, patience: defaultPatience, ctx: e.ctx}
	e.host = &execution.Host{
		State: kept, Ledger: accepted, History: e.History, Calls: e.Calls, Checks: e.checks, Secrets: e.secrets,
		Chooser: o.Chooser, Outliner: o.Outliner, Skills: o.Skills, Settings: e.runSettings, Atlas: e.atlases.patient, Crew: graph.Goroutines, Suites: e.suites, Now: o.Now,
	}
	return e
}

// Start begins a run and returns at once. Every failure after that is an event of the run.
func (e *Engine) Start(r Request) (*execution.Run, error) {
	r, err := e.withTask(r)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Task) == "" && len(r.Direct) == 0 {
		return nil, errors.New("there is no task: say what is to be done")
	}
	set := e.settings(e.ctx, r.Snapshot.Root)
	if r, err = r.redacted(e.secrets).settled(set); err != nil {
		return nil, err
	}
	l := e.host.New("r-"+state.NewID(), r.Asker, paramsOf(r, set))
	l.Run.Recipe = r.Recipe
	if err := e.begin(l.Run, l.Start); err != nil {
		return nil, err
	}
	return l.Run, nil
}

// settings are those that hold in a folder.
func (e *Engine) settings(ctx context.Context, folder string) Settings {
	if e.options.Settings == nil {
		return Settings{}
	}
	return e.options.Settings(ctx, folder)
}

// runSettings are those that executions of runs read.
func (e *Engine) runSettings(ctx context.Context, folder string) execution.Settings {
	s := e.settings(ctx, folder)
	return execution.Settings{Cache: s.Cache, Grants: s.Grants, Web: s.Web, Skills: s.Skills, Guides: s.Guides}
}

// Close interrupts every run, waits for them, and closes what is open. Nothing can be started afterwards; what
// was interrupted can be resumed by the next engine.
func (e *Engine) Close() {
	e.active.Close(func() { e.stop(flow.ErrReleased) })
	e.suites.Close()
	e.atlases.close()
	e.Calls.Close()
	e.state.Close()
}

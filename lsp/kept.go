package lsp

import (
	"cmp"
	"context"
	"io"
	"slices"

	"forge/api"
	"forge/engine"
	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/proposal"
	"forge/engine/story"
	"forge/memory"
)

// Kept is what the server needs of forge/engine for what outlives a session.
type Kept interface {
	// Trusted reports whether the person trusts a folder.
	Trusted(folder string) (bool, error)
	// Runs lists what is kept of the runs of a folder, Find tells of one, and Events what it has told.
	Runs(ctx context.Context, root string) ([]engine.RunInfo, error)
	Find(ctx context.Context, id string) (engine.RunInfo, error)
	Events(ctx context.Context, id string, since int) ([]event.Event, error)
	// Interrupted lists the runs of a folder that are offered to be resumed, and Resumable all that may be.
	Interrupted(ctx context.Context, root string) ([]engine.RunInfo, error)
	Resumable(ctx context.Context, root string) ([]engine.RunInfo, error)
	// Resume takes up a run, Kill stops one in whatever process it is, and AwaitQuiet waits until it is quiet.
	Resume(ctx context.Context, id string, asker ask.Asker, raised engine.Limits) (*engine.Run, error)
	// Offered gives the change of a run that has ended, and the folder that it is for.
	Offered(ctx context.Context, id string) (*proposal.Proposal, string, error)
	Kill(ctx context.Context, id string) error
	AwaitQuiet(ctx context.Context, id string) (engine.RunInfo, error)
	// Redo returns a proposal that takes back an undo; an empty id is the last.
	Redo(ctx context.Context, root, id string) (*proposal.Proposal, error)
	// Checkpoints lists the ledger of a folder.
	Checkpoints(ctx context.Context, root string) ([]engine.Checkpoint, error)
	// Iterations tells how the attempts of a run came out, or of all runs of a folder, and ResetIterations forgets those of a run.
	Iterations(ctx context.Context, root, run, node string) ([]memory.Attempt, error)
	ResetIterations(ctx context.Context, root, run, node string) (int, error)
	// GC removes what nothing needs any more.
	GC(ctx context.Context, root string, o engine.GCOptions) (engine.GCReport, error)
	// Project, Projects and Sessions tell what is kept, and who works.
	Project(ctx context.Context, root string) (engine.ProjectInfo, error)
	Projects(ctx context.Context) ([]engine.ProjectInfo, error)
	Sessions(ctx context.Context) ([]engine.Session, error)
	// The specification of a folder.
	Spec(ctx context.Context, root string, version int) (memory.Spec, error)
	SpecDiff(ctx context.Context, root string, from, to int) (a, b int, diff string, err error)
	SpecStanding(ctx context.Context, root string, version int) (engine.SpecStanding, error)
	RollbackSpec(ctx context.Context, root string, version int) (memory.Spec, error)
	// What is remembered from run to run.
	Recollect(ctx context.Context, root string, k engine.MemoryKey) (engine.Remembered, error)
	Remember(ctx context.Context, root string, k engine.MemoryKey, text string) (engine.Remembered, error)
	Memories(ctx context.Context, root string, f engine.MemoryFilter) ([]engine.Remembered, error)
	SearchMemory(ctx context.Context, root, text string, scope memory.Scope, limit int) ([]engine.Remembered, error)
	WhyRemembered(ctx context.Context, root string, scope memory.Scope, id string) (memory.Provenance, error)
	Forget(ctx context.Context, root string, scope memory.Scope, id string) error
	ExportMemory(ctx context.Context, root string, scope memory.Scope, w io.Writer, tiers ...memory.Tier) (int, error)
	ImportMemory(ctx context.Context, root string, scope memory.Scope, r io.Reader, name string) (memory.Imported, error)
	Tasking
}

// kept gives what is kept, and the folder that a command is about.
func (f *front) kept(named string) (Kept, Folder, error) {
	if f.server.options.Engine == nil {
		return nil, Folder{}, errNoEngine
	}
	folder, err := chooseFolder(f.server.session.currentFolders(), named, "")
	return f.server.options.Engine, folder, err
}

// keptCommand adapts a function that asks what is kept of a folder, and how its answer goes over the wire.
func keptCommand[A, V, R any](f *front, named func(a *A) string, ask func(ctx context.Context, k Kept, root string, a *A) (V, error), wire func(V) R) commandHandler {
	return handler(func(ctx context.Context, a *A) (result R, err error) {
		k, folder, err := f.kept(named(a))
		if err != nil {
			return result, err
		}
		v, err := ask(ctx, k, folder.Path, a)
		if err != nil {
			return result, answerable(err)
		}
		return wire(v), nil
	})
}

// listRuns answers forge.runs.
func (f *front) listRuns(ctx context.Context, a *api.RunsArgs) (api.RunsResult, error) {
	result := api.RunsResult{Runs: f.runInfos(func(standing) bool { return true })}
	if !a.All {
		return result, nil
	}
	k, folder, err := f.kept(a.Folder)
	if err != nil {
		return result, err
	}
	kept, err := k.Runs(ctx, folder.Path)
	if err != nil {
		return result, err
	}
	kept = slices.DeleteFunc(kept, func(r engine.RunInfo) bool {
		return slices.ContainsFunc(result.Runs, func(here api.RunInfo) bool { return here.RunID == r.ID })
	})
	if a.Limit > 0 && len(kept) > a.Limit {
		kept = kept[:a.Limit]
	}
	for _, run := range api.RunsOf(kept) {
		run.Folder = string(folder.URI)
		result.Runs = append(result.Runs, run)
	}
	return result, nil
}

// events answers forge.events: of a run of this session, or of any that is kept.
func (f *front) events(ctx context.Context, a *api.EventsArgs) (api.EventsResult, error) {
	found, err := f.eventsOf(ctx, a.RunID, a.SinceSeq)
	return api.EventsResult{Events: api.EventsOf(found)}, err
}

func (f *front) eventsOf(ctx context.Context, id string, since int) ([]event.Event, error) {
	r, err := f.runs.find(id)
	if err == nil {
		return r.Log.Since(since), nil
	}
	if f.server.options.Engine == nil || id == "" {
		return nil, err
	}
	found, kept := f.server.options.Engine.Events(ctx, id, since)
	return found, answerable(kept)
}

// shownLines is how many lines forge.log returns unless it is told.
const shownLines = 50

// log answers forge.log.
func (f *front) log(ctx context.Context, a *api.LogArgs) (api.LogResult, error) {
	id, err := f.runToTell(ctx, a)
	if err != nil {
		return api.LogResult{}, err
	}
	events, err := f.eventsOf(ctx, id, 0)
	if err != nil {
		return api.LogResult{}, err
	}
	filter := story.Filter{Node: a.Node, Phase: story.Phase(a.Phase), Severity: story.Severity(a.Severity)}
	teller := story.New()
	var lines []story.Line
	for _, e := range events {
		lines = append(lines, filter.Of(teller.Tell(e))...)
	}
	if limit := cmp.Or(max(a.Limit, 0), shownLines); len(lines) > limit {
		lines = lines[len(lines)-limit:]
	}
	return api.LogOf(id, lines), nil
}

// runToTell is the run that is named, or else the newest: of this session, or else of the folder.
func (f *front) runToTell(ctx context.Context, a *api.LogArgs) (string, error) {
	if a.RunID != "" {
		return a.RunID, nil
	}
	if r, err := f.runs.find(""); err == nil && a.Folder == "" {
		return r.ID, nil
	}
	k, folder, err := f.kept(a.Folder)
	if err != nil {
		return "", err
	}
	runs, err := k.Runs(ctx, folder.Path)
	if err == nil && len(runs) == 0 {
		err = invalidParams("runId: there has been no run in %s; forge.run begins one", folder.URI)
	}
	if err != nil {
		return "", err
	}
	return runs[0].ID, nil
}

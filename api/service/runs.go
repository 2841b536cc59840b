package service

import (
	"context"
	"errors"
	"time"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
	"forge/memory"
)

// RunStore is the runs of all processes, also those that have ended.
type RunStore interface {
	// Runs lists the runs of a folder, the newest first, Find returns one, and Events what it has reported.
	Runs(ctx context.Context, root string) ([]engine.RunInfo, error)
	Find(ctx context.Context, id string) (engine.RunInfo, error)
	Events(ctx context.Context, id string, since int) ([]event.Event, error)
	// Kill stops a run in whatever process it is, and AwaitQuiet waits until it has stopped.
	Kill(ctx context.Context, id string) error
	AwaitQuiet(ctx context.Context, id string) (engine.RunInfo, error)
}

// ListRuns lists the stored runs of a folder, which is all of forge.runs but the runs of a session.
func ListRuns(ctx context.Context, e RunStore, in Folder, a *api.RunsArgs) (api.RunsResult, error) {
	runs, err := e.Runs(ctx, in.Path)
	if a.Limit > 0 && len(runs) > a.Limit {
		runs = runs[:a.Limit]
	}
	return api.RunsResult{Runs: api.RunsOf(runs)}, err
}

// KillRun answers forge.kill for a run of any process. It waits for so long until the run has stopped: then it is a *BusyError.
func KillRun(ctx context.Context, e RunStore, within time.Duration, a *api.KillArgs) (api.StateResult, error) {
	run, err := e.Find(ctx, a.RunID)
	if err != nil {
		return api.StateResult{}, err
	}
	if run.Alive() || run.State == event.Interrupted || run.State == event.Paused {
		killed := e.Kill(ctx, a.RunID) // an error may be that it has ended just now, which the next look tells
		wait, done := context.WithTimeout(ctx, within)
		defer done()
		run, err = e.AwaitQuiet(wait, a.RunID)
		if run.Alive() && killed != nil {
			return api.StateResult{}, killed
		}
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = &BusyError{RunID: run.ID, State: string(run.State)}
		}
	}
	return api.StateResult{RunID: a.RunID, State: string(run.State)}, err
}

// AttemptStore is how the attempts of runs came out.
type AttemptStore interface {
	Iterations(ctx context.Context, root, run, node string) ([]memory.Attempt, error)
	ResetIterations(ctx context.Context, root, run, node string) (int, error)
}

// Iterations answers forge.iterations.
func Iterations(ctx context.Context, e AttemptStore, in Folder, a *api.IterationsArgs) (api.IterationsResult, error) {
	if a.Reset {
		forgotten, err := e.ResetIterations(ctx, in.Path, a.RunID, a.Node)
		result := api.IterationsOf(nil)
		result.Forgotten = forgotten
		return result, err
	}
	attempts, err := e.Iterations(ctx, in.Path, a.RunID, a.Node)
	return api.IterationsOf(attempts), err
}

// Ledger is what was accepted in a folder.
type Ledger interface {
	Checkpoints(ctx context.Context, root string) ([]engine.Checkpoint, error)
}

// Checkpoints answers forge.checkpoints.
func Checkpoints(ctx context.Context, e Ledger, in Folder, _ *api.FolderArgs) (api.CheckpointsResult, error) {
	checkpoints, err := e.Checkpoints(ctx, in.Path)
	return api.CheckpointsOf(checkpoints), err
}

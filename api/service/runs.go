package service

import (
	"context"
	"time"

	"forge/api"
	"forge/engine/event"
	"forge/engine/history"
	"forge/memory"
)

// RunStore is the runs of all processes, also those that have ended.
type RunStore interface {
	history.Stoppable
	// Runs lists the runs of a folder, the newest first, and Events returns what one has reported.
	Runs(ctx context.Context, root string) ([]history.Run, error)
	Events(ctx context.Context, id string, since int) ([]event.Event, error)
}

// ListRuns lists the stored runs of a folder, which is all of forge.runs but the runs of a session.
func ListRuns(ctx context.Context, e RunStore, in Folder, a *api.RunsArgs) (api.RunsResult, error) {
	runs, err := e.Runs(ctx, in.Path)
	if a.Limit > 0 && len(runs) > a.Limit {
		runs = runs[:a.Limit]
	}
	return api.RunsResult{Runs: api.RunsOf(runs)}, err
}

// BusyError says that a run was asked to stop, and has not done so in time.
type BusyError = history.BusyError

// KillRun answers forge.kill for a run of any process. A run that is not quiet in time is a *BusyError.
func KillRun(ctx context.Context, e RunStore, within time.Duration, a *api.KillArgs) (api.StateResult, error) {
	run, err := history.Stop(ctx, e, a.RunID, within)
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
	Checkpoints(ctx context.Context, root string) ([]history.Checkpoint, error)
}

// Checkpoints answers forge.checkpoints.
func Checkpoints(ctx context.Context, e Ledger, in Folder, _ *api.FolderArgs) (api.CheckpointsResult, error) {
	checkpoints, err := e.Checkpoints(ctx, in.Path)
	return api.CheckpointsOf(checkpoints), err
}

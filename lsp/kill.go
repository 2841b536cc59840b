package lsp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/api"
	"forge/engine/event"
)

// foreignQuietWithin is how long a run of another process may take to be quiet: it looks for requests now and then.
const foreignQuietWithin = 5 * time.Second

// kill answers forge.kill: forge.cancel for the runs of this session, and the same for those of any other process.
func (f *front) kill(ctx context.Context, a *api.KillArgs) (api.StateResult, error) {
	if a.RunID == "" {
		return api.StateResult{}, invalidParams("runId: say which run; forge.runs with all lists those of a folder")
	}
	if r, err := f.runs.find(a.RunID); err == nil && !isClosed(r.ended) {
		return f.cancel(ctx, &api.RunRef{RunID: a.RunID})
	}
	if f.server.options.Engine == nil {
		return api.StateResult{}, errNoEngine
	}
	k := f.server.options.Engine
	run, err := k.Find(ctx, a.RunID)
	if err != nil {
		return api.StateResult{}, answerable(err)
	}
	if run.Alive() || run.State == event.Interrupted || run.State == event.Paused {
		killed := k.Kill(ctx, a.RunID) // an error may be that it has ended just now, which the next look tells
		wait, done := context.WithTimeout(ctx, foreignQuietWithin)
		defer done()
		run, err = k.AwaitQuiet(wait, a.RunID)
		if run.Alive() && killed != nil {
			return api.StateResult{}, killed
		}
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = fmt.Errorf("run %s was asked to stop, and is still %s; forge.sessions tells who works on it", run.ID, run.State)
		}
	}
	return api.StateResult{RunID: a.RunID, State: string(run.State)}, err
}

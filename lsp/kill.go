package lsp

import (
	"context"
	"time"

	"forge/api"
	"forge/api/service"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// foreignQuietWithin is how long a run of another process may take to be quiet: it looks for requests now and then.
const foreignQuietWithin = 5 * time.Second

// kill answers forge.kill: forge.cancel for the runs of this session, and the same for those of any other process.
func (rn *runner) kill(ctx context.Context, a *api.KillArgs) (api.StateResult, error) {
	if a.RunID == "" {
		return api.StateResult{}, transport.InvalidParams("runId: say which run; forge.runs with all lists those of a folder")
	}
	if r, err := rn.runs.Find(a.RunID); err == nil && !editor.IsClosed(r.Ended) {
		return rn.cancel(ctx, &api.RunRef{RunID: a.RunID})
	}
	if rn.store == nil {
		return api.StateResult{}, editor.ErrNoEngine
	}
	return service.KillRun(ctx, rn.store, foreignQuietWithin, a)
}

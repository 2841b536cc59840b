package lsp

import (
	"context"
	"errors"

	"forge/api"
	"forge/engine/batch"
)

// Batching is what the server needs of forge/engine for what is asked of providers by batch.
type Batching interface {
	// Batches lists them, of all folders.
	Batches(ctx context.Context, f batch.Filter) ([]batch.Job, error)
	// PollBatches asks the providers now, and AwaitBatches until none is open. Their errors match batch.ErrNoJob.
	PollBatches(ctx context.Context, id string) ([]batch.Job, error)
	AwaitBatches(ctx context.Context, id string, tell func([]batch.Job, error)) error
}

// listBatches answers forge.batch.list.
func (f *front) listBatches(ctx context.Context, a *api.BatchListArgs) (api.BatchesResult, error) {
	if f.server.options.Engine == nil {
		return api.BatchesResult{}, errNoEngine
	}
	jobs, err := f.server.options.Engine.Batches(ctx, api.BatchFilter(*a))
	return api.BatchesOf(jobs, nil), answerable(err)
}

// pollBatches answers forge.batch.poll. Providers that cannot be asked are said beside the batches.
func (f *front) pollBatches(ctx context.Context, a *api.BatchPollArgs) (api.BatchesResult, error) {
	e := f.server.options.Engine
	if e == nil {
		return api.BatchesResult{}, errNoEngine
	}
	var jobs []batch.Job
	var err error
	if a.Wait {
		err = e.AwaitBatches(ctx, a.ID, func(now []batch.Job, _ error) { jobs = now })
	} else {
		jobs, err = e.PollBatches(ctx, a.ID)
	}
	if errors.Is(err, batch.ErrNoJob) {
		return api.BatchesResult{}, invalidParams("id: %v; forge.batch.list lists those there are", err)
	}
	if err != nil && jobs == nil {
		return api.BatchesResult{}, answerable(err)
	}
	return api.BatchesOf(jobs, err), nil
}

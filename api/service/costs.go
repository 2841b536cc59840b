package service

import (
	"context"
	"time"

	"forge/api"
	"forge/engine/batch"
	"forge/engine/spend"
)

// CostStore stores the costs of models, in all folders.
type CostStore interface {
	Cost(ctx context.Context, q spend.Query) ([]spend.Row, error)
	// ClearCache deletes the cached answers of models, and returns their number.
	ClearCache(ctx context.Context) (answers int, err error)
}

// ShowCost answers forge.cost. Its period ends at now.
func ShowCost(ctx context.Context, e CostStore, now time.Time, a *api.CostArgs) (api.CostResult, error) {
	q, err := costQuery(*a, now)
	if err != nil {
		return api.CostResult{}, err
	}
	rows, err := e.Cost(ctx, q)
	return costsOf(rows), err
}

// ClearCache answers forge.cache.clear.
func ClearCache(ctx context.Context, e CostStore, _ *api.NoArgs) (api.CacheCleared, error) {
	answers, err := e.ClearCache(ctx)
	return api.CacheCleared{Answers: answers}, err
}

// BatchStore stores the batches that providers answer within a day.
type BatchStore interface {
	// Batches lists batches of all folders.
	Batches(ctx context.Context, f batch.Filter) ([]batch.Job, error)
	// PollBatches polls the providers once; AwaitBatches polls until no batch is open. Their errors match batch.ErrNoJob.
	PollBatches(ctx context.Context, id string) ([]batch.Job, error)
	AwaitBatches(ctx context.Context, id string, tell func([]batch.Job, error)) error
}

// ListBatches answers forge.batch.list.
func ListBatches(ctx context.Context, e BatchStore, a *api.BatchListArgs) (api.BatchesResult, error) {
	jobs, err := e.Batches(ctx, batchFilter(*a))
	return batchesOf(jobs, nil), err
}

// PollBatches answers forge.batch.poll. The result names providers that could not be polled. If the arguments say wait,
// PollBatches calls report after each poll.
func PollBatches(ctx context.Context, e BatchStore, report func(api.BatchesResult), a *api.BatchPollArgs) (api.BatchesResult, error) {
	if !a.Wait {
		jobs, err := e.PollBatches(ctx, a.ID)
		if err != nil && jobs == nil {
			return api.BatchesResult{}, err
		}
		return batchesOf(jobs, err), nil
	}
	var result api.BatchesResult
	err := e.AwaitBatches(ctx, a.ID, func(now []batch.Job, trouble error) {
		result = batchesOf(now, trouble)
		report(result)
	})
	if err != nil && (ctx.Err() != nil || result.Batches == nil) {
		return api.BatchesResult{}, err
	}
	return result, nil
}

package service

import (
	"context"
	"time"

	"forge/api"
	"forge/engine/spend"
)

// CostStore is what models cost, in all folders.
type CostStore interface {
	Cost(ctx context.Context, q spend.Query) ([]spend.Row, error)
	// ClearCache deletes the stored answers of models, and returns how many there were.
	ClearCache(ctx context.Context) (answers int, err error)
}

// ShowCost answers forge.cost; now is the moment from which its length of time counts back.
func ShowCost(ctx context.Context, e CostStore, now time.Time, a *api.CostArgs) (api.CostResult, error) {
	q, err := api.CostQuery(*a, now)
	if err != nil {
		return api.CostResult{}, err
	}
	rows, err := e.Cost(ctx, q)
	return api.CostsOf(rows), err
}

// ClearCache answers forge.cache.clear.
func ClearCache(ctx context.Context, e CostStore, _ *api.NoArgs) (api.CacheCleared, error) {
	answers, err := e.ClearCache(ctx)
	return api.CacheCleared{Answers: answers}, err
}

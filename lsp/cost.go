package lsp

import (
	"context"
	"time"

	"forge/api"
	"forge/engine"
	"forge/engine/spend"
)

// Spending is what the server needs of forge/engine for what models cost.
type Spending interface {
	// Cost adds up what was spent, in all folders.
	Cost(ctx context.Context, q spend.Query) ([]spend.Row, error)
	// ClearCache forgets the answers of models that are kept, and tells how many there were.
	ClearCache(ctx context.Context) (answers int, err error)
}

// cost answers forge.cost.
func (f *front) cost(ctx context.Context, a *api.CostArgs) (api.CostResult, error) {
	if f.server.options.Engine == nil {
		return api.CostResult{}, errNoEngine
	}
	q, err := api.CostQuery(*a, f.server.options.Now())
	if err != nil {
		return api.CostResult{}, invalidParams("%v", err)
	}
	rows, err := f.server.options.Engine.Cost(ctx, q)
	return api.CostsOf(rows), answerable(err)
}

// clearCache answers forge.cache.clear.
func (f *front) clearCache(ctx context.Context, _ *api.NoArgs) (api.CacheCleared, error) {
	if f.server.options.Engine == nil {
		return api.CacheCleared{}, errNoEngine
	}
	answers, err := f.server.options.Engine.ClearCache(ctx)
	return api.CacheCleared{Answers: answers}, answerable(err)
}

// limitsOf are limits as the engine knows them; nil is none.
func limitsOf(l *api.Limits) engine.Limits {
	if l == nil {
		return engine.Limits{}
	}
	return engine.Limits{Tokens: l.Tokens, MicroUSD: spend.Micro(l.CostUSD), Duration: time.Duration(l.Minutes) * time.Minute}
}

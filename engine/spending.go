package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/engine/activity"
	"forge/engine/llm"
	"forge/engine/llm/cache"
	"forge/engine/spend"
)

// Files of what is kept of all folders together, in the state folder.
const (
	ledgerFile = "global/cost.db"
	cacheFile  = "global/cache.db"
	pricesFile = "prices.yaml" // of the user's own
)

// calls is what all calls of models share, and what of it has to be closed.
type calls struct {
	models activity.Models
	closes []func() error
}

func (c *calls) close() error {
	var all []error
	for _, f := range slices.Backward(c.closes) {
		all = append(all, f())
	}
	return errors.Join(all...)
}

// openCalls opens what all calls share. Prices of the user's that cannot be read are an error: nothing is spent on a mistake
// in a file.
func (e *Engine) openCalls() (*calls, error) {
	ctx := context.WithoutCancel(e.ctx)
	c := &calls{}
	c.models.Desk = e.desk
	prices, err := spend.LoadPrices(e.state.Path(pricesFile))
	if err != nil {
		return nil, err
	}
	c.models.Prices = prices
	c.models.Ledger, err = spend.Open(ctx, e.state.Path(ledgerFile), spend.Options{Now: e.options.Now, Note: e.state.Notify})
	if err != nil {
		return nil, fmt.Errorf("open what was spent: %w", err)
	}
	c.closes = append(c.closes, c.models.Ledger.Close)
	kept, err := cache.Open(ctx, e.state.Path(cacheFile), cache.Options{
		Now: e.options.Now, Note: e.state.Notify, Secret: e.secrets.Holds,
	})
	if err != nil { // it costs money, and no run
		e.state.Notify(fmt.Sprintf("answers of models are not kept: %v", err))
		return c, nil
	}
	c.models.Cache = kept
	c.closes = append(c.closes, kept.Close)
	return c, nil
}

// calls gives what all calls of this engine share; it is open until Close.
func (e *Engine) calls() (*calls, error) {
	return e.paying.Get(struct{}{}, func() (*calls, error) {
		opened, err := e.openCalls()
		return opened, e.state.Explain(err)
	})
}

// Cost adds up what was spent on models, in all folders and processes, as the query says.
func (e *Engine) Cost(ctx context.Context, q spend.Query) ([]spend.Row, error) {
	c, err := e.calls()
	if err != nil {
		return nil, err
	}
	rows, err := c.models.Ledger.Report(ctx, q)
	return rows, e.state.Explain(err)
}

// ClearCache forgets the answers of models that are kept, and tells how many there were.
func (e *Engine) ClearCache(ctx context.Context) (answers int, err error) {
	if c, is := e.paying.Opened(struct{}{}); is && c.models.Cache != nil {
		answers, err = c.models.Cache.Clear(ctx) // what it has in memory, too
		return answers, e.state.Explain(err)
	}
	kept, err := cache.Open(ctx, e.state.Path(cacheFile), cache.Options{Now: e.options.Now, Note: e.state.Notify})
	if err != nil {
		return 0, e.state.Explain(err)
	}
	answers, err = kept.Clear(ctx)
	return answers, e.state.Explain(errors.Join(err, kept.Close()))
}

// Breakers tells which models are left alone for now, because they failed too often.
func (e *Engine) Breakers() []llm.Standing {
	c, is := e.paying.Opened(struct{}{})
	if !is {
		return nil
	}
	return c.models.Breakers.Standings()
}

package activity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"forge/engine/batch"
	"forge/engine/llm"
	"forge/engine/secret"
	"forge/engine/spend"
	"forge/engine/state"
)

// The files shared by all folders, in the state folder.
const (
	ledgerFile = "global/cost.db"
	cacheFile  = "global/cache.db"
	pricesFile = "prices.yaml" // the user's own prices
)

// CallsOptions are the dependencies of Calls.
type CallsOptions struct {
	State   *state.State
	Secrets *secret.Redactor
	Batcher batch.Finder // returns a provider's batch interface; nil finds none
	Timing  batch.Timing // the delays of batches; zero is the default
}

// Calls is shared by all model calls. The caller closes it.
type Calls struct {
	options CallsOptions

	shared state.Lazy[struct{}, *shared]
	queue  state.Lazy[struct{}, *batch.Queue]
}

// NewCalls returns Calls. Nothing is opened yet.
func NewCalls(o CallsOptions) *Calls { return &Calls{options: o} }

// Close closes everything that was opened. No model may be called afterwards.
func (c *Calls) Close() {
	c.queue.Close(func(_ struct{}, queue *batch.Queue) { _ = queue.Close() }) // committed data is on disk
	c.shared.Close(func(_ struct{}, s *shared) { _ = s.close() })
}

// shared is what model calls use, and what must be closed.
type shared struct {
	models Models
	closes []func() error
}

func (s *shared) close() error {
	var all []error
	for _, f := range slices.Backward(s.closes) {
		all = append(all, f())
	}
	return errors.Join(all...)
}

// open opens what all calls share. Unreadable user prices are an error, so that a mistake in a file causes no costs.
func (c *Calls) open(ctx context.Context) (*shared, error) {
	s := &shared{}
	s.models.Queue = c.Queue
	prices, err := spend.LoadPrices(c.options.State.Path(pricesFile))
	if err != nil {
		return nil, err
	}
	s.models.Prices = prices
	s.models.Ledger, err = spend.Open(ctx, c.options.State.Path(ledgerFile), spend.Options{Now: c.options.State.Now, Note: c.options.State.Notify})
	if err != nil {
		return nil, fmt.Errorf("open the ledger of costs: %w", err)
	}
	s.closes = append(s.closes, s.models.Ledger.Close)
	kept, err := spend.OpenCache(ctx, c.options.State.Path(cacheFile), spend.CacheOptions{
		Now: c.options.State.Now, Note: c.options.State.Notify, Secret: c.options.Secrets.Holds,
	})
	if err != nil { // this costs money but fails no run
		c.options.State.Notify(fmt.Sprintf("answers of models are not cached: %v", err))
		return s, nil
	}
	s.models.Cache = kept
	s.closes = append(s.closes, kept.Close)
	return s, nil
}

// Models returns what model calls use; it is open until Close.
func (c *Calls) Models(ctx context.Context) (*Models, error) {
	s, err := c.opened(ctx)
	if err != nil {
		return nil, err
	}
	return &s.models, nil
}

func (c *Calls) opened(ctx context.Context) (*shared, error) {
	return c.shared.Get(struct{}{}, func() (*shared, error) {
		opened, err := c.open(context.WithoutCancel(ctx))
		return opened, c.options.State.Explain(err)
	})
}

// Cost sums what was spent on models, in all folders and processes, as the query selects.
func (c *Calls) Cost(ctx context.Context, q spend.Query) ([]spend.Row, error) {
	s, err := c.opened(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.models.Ledger.Report(ctx, q)
	return rows, c.options.State.Explain(err)
}

// ClearCache deletes the cached answers of models, and returns their number.
func (c *Calls) ClearCache(ctx context.Context) (answers int, err error) {
	if s, ok := c.shared.Opened(struct{}{}); ok && s.models.Cache != nil {
		answers, err = s.models.Cache.Clear(ctx)
		return answers, c.options.State.Explain(err)
	}
	kept, err := spend.OpenCache(ctx, c.options.State.Path(cacheFile), spend.CacheOptions{Now: c.options.State.Now, Note: c.options.State.Notify})
	if err != nil {
		return 0, c.options.State.Explain(err)
	}
	answers, err = kept.Clear(ctx)
	return answers, c.options.State.Explain(errors.Join(err, kept.Close()))
}

// Breakers returns the models that are not called for now, because they failed too often.
func (c *Calls) Breakers() []llm.Standing {
	s, ok := c.shared.Opened(struct{}{})
	if !ok {
		return nil
	}
	return s.models.Breakers.Standings()
}

// batchFile is the file of the batches of all folders, in the state folder.
const batchFile = "global/batch.db"

// Queue returns the queue of batches; it is open until Close.
func (c *Calls) Queue() (*batch.Queue, error) {
	return c.queue.Get(struct{}{}, func() (*batch.Queue, error) {
		queue, err := batch.Open(context.Background(), c.options.State.Path(batchFile), batch.Options{
			Now: c.options.State.Now, Note: c.options.State.Notify, Timing: c.options.Timing,
		})
		return queue, c.options.State.Explain(err)
	})
}

// knownQueue returns the queue, or nil if no batch was ever requested.
func (c *Calls) knownQueue() (*batch.Queue, error) {
	if _, err := os.Stat(c.options.State.Path(batchFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return c.Queue()
}

// ErrNoBatch means that no batch has the given id.
var ErrNoBatch = batch.ErrNoJob

// Batches lists the batches of all folders and processes, the newest first.
func (c *Calls) Batches(ctx context.Context, f batch.Filter) ([]batch.Job, error) {
	queue, err := c.knownQueue()
	if err != nil || queue == nil {
		return nil, err
	}
	jobs, err := queue.Jobs(ctx, f)
	return jobs, c.options.State.Explain(err)
}

// PollBatches asks providers now for the state of the open batches, or of the named one, and keeps the available answers for
// resumed runs. The error names the batches that could not be polled, and matches batch.ErrNoJob if the named one does not
// exist; the jobs are returned nevertheless.
func (c *Calls) PollBatches(ctx context.Context, id string) ([]batch.Job, error) {
	queue, err := c.knownQueue()
	if err != nil {
		return nil, err
	}
	if queue == nil {
		return nil, noBatch(id)
	}
	return queue.Poll(ctx, id, c.options.Batcher)
}

// AwaitBatches repeats PollBatches at suitable intervals until none of the batches is open. It calls report with the result of each round.
func (c *Calls) AwaitBatches(ctx context.Context, id string, report func([]batch.Job, error)) error {
	queue, err := c.knownQueue()
	if err != nil {
		return err
	}
	if queue == nil {
		return noBatch(id)
	}
	return queue.Await(ctx, id, c.options.Batcher, report)
}

func noBatch(id string) error {
	if id == "" {
		return nil
	}
	return fmt.Errorf("batch %s: %w", id, batch.ErrNoJob)
}

// Abandon cancels the batches that a cancelled run waits for. It notifies the user of a cancellation that failed.
func (c *Calls) Abandon(ctx context.Context, run string) {
	queue, err := c.knownQueue()
	if err == nil && queue != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandoning)
		defer cancel()
		err = queue.Abandon(ctx, run, c.options.Batcher)
	}
	if err != nil {
		c.options.State.Notify(fmt.Sprintf("%v; forge batch poll tries again", err))
	}
}

// abandoning is the time limit for cancelling the batches of a run.
const abandoning = 10 * time.Second

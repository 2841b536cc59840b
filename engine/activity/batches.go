package activity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"forge/engine/batch"
)

// batchFile is what is asked of providers by batch, of all folders together, in the state folder.
const batchFile = "global/batch.db"

// Desk returns what is asked by batch; it is open until Close.
func (c *Calls) Desk() (*batch.Desk, error) {
	return c.desk.Get(struct{}{}, func() (*batch.Desk, error) {
		desk, err := batch.Open(context.Background(), c.options.State.Path(batchFile), batch.Options{
			Now: c.options.State.Now, Note: c.options.State.Notify, Timing: c.options.Timing,
		})
		return desk, c.options.State.Explain(err)
	})
}

// knownDesk is the desk, or nil where nothing was ever asked by batch.
func (c *Calls) knownDesk() (*batch.Desk, error) {
	if _, err := os.Stat(c.options.State.Path(batchFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return c.Desk()
}

// ErrNoBatch is the error of a batch that nobody knows.
var ErrNoBatch = batch.ErrNoJob

// Batches lists what was asked of providers by batch, in all folders and processes, the newest first.
func (c *Calls) Batches(ctx context.Context, f batch.Filter) ([]batch.Job, error) {
	desk, err := c.knownDesk()
	if err != nil || desk == nil {
		return nil, err
	}
	jobs, err := desk.Jobs(ctx, f)
	return jobs, c.options.State.Explain(err)
}

// PollBatches asks providers now how the open batches are, or the one that is named, and keeps the answers that are there: a
// run that is resumed finds them. The error says which could not be asked, and matches batch.ErrNoJob where there is no such
// batch; the jobs are given nevertheless.
func (c *Calls) PollBatches(ctx context.Context, id string) ([]batch.Job, error) {
	desk, err := c.knownDesk()
	if err != nil {
		return nil, err
	}
	if desk == nil {
		return nil, noBatch(id)
	}
	return desk.Poll(ctx, id, c.options.Batcher)
}

// AwaitBatches is PollBatches again and again, as often as is fit, until none of the batches is open. tell is called after each round.
func (c *Calls) AwaitBatches(ctx context.Context, id string, tell func([]batch.Job, error)) error {
	desk, err := c.knownDesk()
	if err != nil {
		return err
	}
	if desk == nil {
		return noBatch(id)
	}
	return desk.Await(ctx, id, c.options.Batcher, tell)
}

func noBatch(id string) error {
	if id == "" {
		return nil
	}
	return fmt.Errorf("batch %s: %w", id, batch.ErrNoJob)
}

// Abandon lets go of the batches that a cancelled run waits for. What cannot be cancelled now is reported.
func (c *Calls) Abandon(ctx context.Context, run string) {
	desk, err := c.knownDesk()
	if err == nil && desk != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandoning)
		defer cancel()
		err = desk.Abandon(ctx, run, c.options.Batcher)
	}
	if err != nil {
		c.options.State.Notify(fmt.Sprintf("%v; forge batch poll tries again", err))
	}
}

// abandoning is how long providers may take to hear that a run was cancelled.
const abandoning = 10 * time.Second

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

// batchFile is the file of the batches of all folders, in the state folder.
const batchFile = "global/batch.db"

// Desk returns the desk of batches; it is open until Close.
func (c *Calls) Desk() (*batch.Desk, error) {
	return c.desk.Get(struct{}{}, func() (*batch.Desk, error) {
		desk, err := batch.Open(context.Background(), c.options.State.Path(batchFile), batch.Options{
			Now: c.options.State.Now, Note: c.options.State.Notify, Timing: c.options.Timing,
		})
		return desk, c.options.State.Explain(err)
	})
}

// knownDesk returns the desk, or nil if no batch was ever requested.
func (c *Calls) knownDesk() (*batch.Desk, error) {
	if _, err := os.Stat(c.options.State.Path(batchFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return c.Desk()
}

// ErrNoBatch means that no batch has the given id.
var ErrNoBatch = batch.ErrNoJob

// Batches lists the batches of all folders and processes, the newest first.
func (c *Calls) Batches(ctx context.Context, f batch.Filter) ([]batch.Job, error) {
	desk, err := c.knownDesk()
	if err != nil || desk == nil {
		return nil, err
	}
	jobs, err := desk.Jobs(ctx, f)
	return jobs, c.options.State.Explain(err)
}

// PollBatches asks providers now for the state of the open batches, or of the named one, and keeps the available answers for
// resumed runs. The error names the batches that could not be polled, and matches batch.ErrNoJob if the named one does not
// exist; the jobs are returned nevertheless.
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

// AwaitBatches repeats PollBatches at suitable intervals until none of the batches is open. tell is called after each round.
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

// Abandon cancels the batches that a cancelled run waits for. It notifies the user of a cancellation that failed.
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

// abandoning is the time limit for cancelling the batches of a run.
const abandoning = 10 * time.Second

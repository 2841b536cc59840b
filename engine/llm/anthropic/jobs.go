package anthropic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// List implements llm.Batcher. A job's label is only in its results: that of a job that has ended is read from the
// first result, once; a running job of another process has none.
func (c *Client) List(ctx context.Context, since time.Time) ([]llm.BatchJob, error) {
	var jobs []llm.BatchJob
	after := ""
	for range pages {
		page, err := c.jobPage(ctx, after)
		if err != nil {
			return nil, err
		}
		for _, job := range page.Data {
			if job.CreatedAt.Before(since) {
				return jobs, nil // the newest are first
			}
			if err := c.findLabel(ctx, &job); err != nil {
				return nil, err
			}
			jobs = append(jobs, c.describe(&job))
		}
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			break
		}
		after = page.LastID
	}
	return jobs, nil
}

type jobPage struct {
	Data    []api.MessageBatch
	HasMore bool
	LastID  string
}

func (c *Client) jobPage(ctx context.Context, after string) (jobPage, error) {
	x, ctx := c.server.Exchange(ctx, wire.Document)
	defer x.End()
	options, err := c.options(x)
	if err != nil {
		return jobPage{}, x.Failure(err)
	}
	params := api.MessageBatchListParams{Limit: api.Int(100)}
	if after != "" {
		params.AfterID = api.String(after)
	}
	batches := api.NewMessageBatchService(options...)
	page, err := batches.List(ctx, params)
	if err != nil {
		return jobPage{}, x.Failure(err)
	}
	return jobPage{page.Data, page.HasMore, page.LastID}, nil
}

// findLabel reads the label of a job that has ended from its results, if they still exist.
func (c *Client) findLabel(ctx context.Context, job *api.MessageBatch) error {
	if !hasEnded(job) || !job.ArchivedAt.IsZero() || c.knows(job.ID) {
		return nil
	}
	label, told := "", false
	err := c.results(ctx, job.ID, func(name string, _ api.MessageBatchResultUnion) (more bool) {
		label, _, _ = parseName(name)
		told = true
		return false
	})
	var failure *llm.Error
	switch {
	case errors.As(err, &failure) && failure.Status == http.StatusNotFound:
		return nil
	case err == nil && !told && sum(job.RequestCounts) > 0:
		return c.server.Failure(&llm.Error{Kind: llm.KindTruncated, Err: fmt.Errorf("the results of the batch %s are not there yet", job.ID)})
	case err == nil:
		c.remember(job.ID, label)
	}
	return err
}

func (c *Client) knows(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.labels[id] // it may be known to have none, as a foreign job
	return known
}

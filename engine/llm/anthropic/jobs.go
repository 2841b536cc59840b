package anthropic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/pagination"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"forge/engine/llm"
)

// List implements llm.Batcher. A job's label is only in its results: that of a job that has ended is read from the
// first result, once; a running job of another process has none.
func (c *Client) List(ctx context.Context, since time.Time) ([]llm.BatchJob, error) {
	var jobs []llm.BatchJob
	for job, err := range pages(ctx, c, func(ctx context.Context, after param.Opt[string], o []option.RequestOption) (*pagination.Page[api.MessageBatch], error) {
		batches := api.NewMessageBatchService(o...)
		return batches.List(ctx, api.MessageBatchListParams{Limit: api.Int(100), AfterID: after})
	}) {
		if err != nil {
			return nil, err
		}
		if job.CreatedAt.Before(since) {
			break // the newest are first
		}
		if err := c.findLabel(ctx, &job); err != nil {
			return nil, err
		}
		jobs = append(jobs, c.describe(&job))
	}
	return jobs, nil
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

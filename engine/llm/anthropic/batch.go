package anthropic

import (
	"context"
	"encoding/json"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// Submit implements llm.Batcher. Label and key together may have 62 characters; a key in lower-case hexadecimal
// counts two thirds of its length.
func (c *Client) Submit(ctx context.Context, label string, items []llm.BatchItem) (llm.BatchJob, error) {
	params, err := c.batch(label, items)
	if err != nil {
		return llm.BatchJob{}, c.server.Failure(err)
	}
	job, err := c.job(ctx, label, func(ctx context.Context, batches api.MessageBatchService) (*api.MessageBatch, error) {
		return batches.New(ctx, params)
	})
	if err != nil {
		return llm.BatchJob{}, err
	}
	c.remember(job.ID, label)
	return c.describe(job), nil
}

func (c *Client) batch(label string, items []llm.BatchItem) (batch api.MessageBatchNewParams, err error) {
	if len(items) == 0 {
		return batch, wire.Malformed("a batch of no requests")
	}
	seen := map[string]bool{}
	for _, item := range items {
		request, err := c.batched(label, item)
		if err == nil && seen[item.Key] {
			err = wire.Malformed("the key %q occurs twice in one batch", item.Key)
		}
		if err != nil {
			return batch, err
		}
		seen[item.Key] = true
		batch.Requests = append(batch.Requests, request)
	}
	return batch, nil
}

func (c *Client) batched(label string, item llm.BatchItem) (api.MessageBatchNewParamsRequest, error) {
	name, err := nameOf(label, item.Key)
	if err != nil {
		return api.MessageBatchNewParamsRequest{}, err
	}
	params, err := c.family().params(c.server.Model, item.Request)
	if err != nil {
		return api.MessageBatchNewParamsRequest{}, err
	}
	body, err := json.Marshal(params) // the library has another type with the same fields here
	return api.MessageBatchNewParamsRequest{
		CustomID: name, Params: param.Override[api.MessageBatchNewParamsRequestParams](json.RawMessage(body)),
	}, err
}

// Poll implements llm.Batcher.
func (c *Client) Poll(ctx context.Context, id string) (llm.BatchJob, error) {
	job, err := c.job(ctx, "", func(ctx context.Context, batches api.MessageBatchService) (*api.MessageBatch, error) {
		return batches.Get(ctx, id, api.MessageBatchGetParams{})
	})
	if err != nil {
		return llm.BatchJob{}, err
	}
	return c.describe(job), nil
}

// Cancel implements llm.Batcher.
func (c *Client) Cancel(ctx context.Context, id string) error {
	_, err := c.job(ctx, "", func(ctx context.Context, batches api.MessageBatchService) (*api.MessageBatch, error) {
		return batches.Cancel(ctx, id, api.MessageBatchCancelParams{})
	})
	return err
}

// job makes a call whose answer is a job.
func (c *Client) job(ctx context.Context, key string, call func(context.Context, api.MessageBatchService) (*api.MessageBatch, error)) (*api.MessageBatch, error) {
	return exchange(ctx, c, key, func(ctx context.Context, o []option.RequestOption) (*api.MessageBatch, error) {
		job, err := call(ctx, api.NewMessageBatchService(o...))
		if err == nil && (job == nil || job.ID == "") {
			err = wire.Malformed("the server sent something that is not a batch: there is no id in it")
		}
		return job, err
	})
}

// describe converts a job. Its label is known if this client submitted it, or has read its results.
func (c *Client) describe(job *api.MessageBatch) llm.BatchJob {
	c.mu.Lock()
	defer c.mu.Unlock()
	return llm.BatchJob{
		ID: job.ID, Label: c.labels[job.ID], Items: int(sum(job.RequestCounts)), Submitted: job.CreatedAt, Expires: job.ExpiresAt,
		Ended: hasEnded(job),
	}
}

func hasEnded(job *api.MessageBatch) bool {
	return job.ProcessingStatus == api.MessageBatchProcessingStatusEnded
}

func (c *Client) remember(id, label string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.labels[id] = label
}

func sum(counts api.MessageBatchRequestCounts) int64 {
	return counts.Processing + counts.Succeeded + counts.Errored + counts.Canceled + counts.Expired
}

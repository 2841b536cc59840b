package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// labelKey is the metadata key for a job's label.
const labelKey = "forge_label"

// Submit implements llm.Batcher: it uploads the requests as one file, and creates a job from it. If that fails, it
// deletes the file.
func (c *Client) Submit(ctx context.Context, label string, items []llm.BatchItem) (llm.BatchJob, error) {
	upload, err := c.upload(items)
	if err != nil {
		return llm.BatchJob{}, err
	}
	var file api.File
	err = c.call(ctx, wire.Document, func(ctx context.Context, library *api.Client) error {
		file, err = library.CreateFileBytes(ctx, upload)
		return found(file.ID, err)
	})
	if err != nil {
		return llm.BatchJob{}, err
	}
	var made api.BatchResponse
	err = c.call(ctx, wire.Document, func(ctx context.Context, library *api.Client) error {
		made, err = library.CreateBatch(ctx, api.CreateBatchRequest{
			InputFileID: file.ID, Endpoint: api.BatchEndpointChatCompletions, CompletionWindow: "24h",
			Metadata: map[string]any{labelKey: label},
		})
		return found(made.ID, err)
	})
	if refused(err) {
		_ = c.call(ctx, wire.Document, func(ctx context.Context, library *api.Client) error {
			return library.DeleteFile(ctx, file.ID) // on failure, the provider lets it expire
		})
	}
	return job(made.Batch), err
}

// upload returns the file of a job: one request per line.
func (c *Client) upload(items []llm.BatchItem) (api.FileBytesRequest, error) {
	var file api.UploadBatchFileRequest
	seen := map[string]bool{}
	for _, item := range items {
		if item.Key == "" || seen[item.Key] {
			return api.FileBytesRequest{}, c.server.Failure(wire.Malformed("the key %q occurs twice, or not at all, in one batch", item.Key))
		}
		seen[item.Key] = true
		whole := item.Request
		whole.Whole = true
		line, err := json.Marshal(batchLine{
			CustomID: item.Key, Method: http.MethodPost, URL: api.BatchEndpointChatCompletions,
			Body: chatRequest(c.server.Model, whole, c.habits()),
		})
		if err != nil {
			return api.FileBytesRequest{}, c.server.Failure(wire.Malformed("the request %q of the batch cannot be written as JSON: %v", item.Key, err))
		}
		file.Lines = append(file.Lines, marshalled(line))
	}
	if len(items) == 0 {
		return api.FileBytesRequest{}, c.server.Failure(wire.Malformed("a batch of no requests"))
	}
	return api.FileBytesRequest{Name: "batch.jsonl", Bytes: file.MarshalJSONL(), Purpose: api.PurposeBatch}, nil
}

// batchLine is one request of a job.
type batchLine struct {
	CustomID string            `json:"custom_id"`
	Method   string            `json:"method"`
	URL      api.BatchEndpoint `json:"url"`
	Body     request           `json:"body"`
}

type marshalled []byte

// MarshalBatchLineItem implements the library's BatchLineItem.
func (m marshalled) MarshalBatchLineItem() []byte { return m }

// Poll implements llm.Batcher.
func (c *Client) Poll(ctx context.Context, id string) (llm.BatchJob, error) {
	batch, err := c.batch(ctx, id)
	return job(batch), err
}

func (c *Client) batch(ctx context.Context, id string) (api.Batch, error) {
	if !isID(id) {
		return api.Batch{}, c.server.Failure(wire.Malformed("%q is not the id of a batch", id))
	}
	var got api.BatchResponse
	err := c.call(ctx, wire.Document, func(ctx context.Context, library *api.Client) (err error) {
		got, err = library.RetrieveBatch(ctx, id)
		return found(got.ID, err)
	})
	return got.Batch, err
}

// List implements llm.Batcher. The provider counts seconds, so it includes jobs of the same second as since.
func (c *Client) List(ctx context.Context, since time.Time) ([]llm.BatchJob, error) {
	var jobs []llm.BatchJob
	var after *string
	for {
		page, err := c.page(ctx, after)
		if err != nil {
			return nil, err
		}
		last := lastID(page)
		if after != nil && *after == last {
			return jobs, nil // the server repeats the same page
		}
		for _, batch := range page.Data {
			if int64(batch.CreatedAt) < since.Unix() {
				return jobs, nil
			}
			jobs = append(jobs, job(batch))
		}
		if !page.HasMore || last == "" {
			return jobs, nil
		}
		after = &last
	}
}

func (c *Client) page(ctx context.Context, after *string) (page api.ListBatchResponse, err error) {
	most := 100 // the API's maximum
	err = c.call(ctx, wire.Document, func(ctx context.Context, library *api.Client) (err error) {
		page, err = library.ListBatch(ctx, after, &most)
		return err
	})
	return page, err
}

func lastID(page api.ListBatchResponse) string {
	if page.LastID != "" || len(page.Data) == 0 {
		return page.LastID
	}
	return page.Data[len(page.Data)-1].ID
}

// Cancel implements llm.Batcher. A job that has ended is no error.
func (c *Client) Cancel(ctx context.Context, id string) error {
	if !isID(id) {
		return c.server.Failure(wire.Malformed("%q is not the id of a batch", id))
	}
	err := c.call(ctx, wire.Document, func(ctx context.Context, library *api.Client) error {
		_, err := library.CancelBatch(ctx, id)
		return err
	})
	if status(err) == http.StatusConflict {
		return nil
	}
	return err
}

// job converts the provider's batch.
func job(b api.Batch) llm.BatchJob {
	if b.ID == "" {
		return llm.BatchJob{}
	}
	label, _ := b.Metadata[labelKey].(string)
	made := llm.BatchJob{ID: b.ID, Label: label, Ended: hasEnded(b), Submitted: time.Unix(int64(b.CreatedAt), 0)}
	if b.ExpiresAt != nil {
		made.Expires = time.Unix(int64(*b.ExpiresAt), 0)
	}
	return made
}

func hasEnded(b api.Batch) bool {
	switch b.Status {
	case "completed", "failed", "expired", "cancelled":
		return true
	default:
		return false
	}
}

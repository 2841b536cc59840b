package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// Results implements llm.Batcher. It does not check the names of called tools, because only the submitter knows the offer.
func (c *Client) Results(ctx context.Context, id string) (map[string]llm.BatchResult, error) {
	batch, err := c.batch(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case !hasEnded(batch):
		return nil, c.server.Failure(wire.Transient("the batch %s has not ended: it is %s", id, batch.Status))
	case batch.Status == "failed":
		return nil, c.server.Failure(wire.Malformed("%s could not begin the batch %s: %s", c.server.Host(), id, c.complaints(batch)))
	}
	results := map[string]llm.BatchResult{}
	for _, file := range []*string{batch.OutputFileID, batch.ErrorFileID} {
		if file == nil || *file == "" {
			continue
		}
		if err := c.fetch(ctx, *file, results); err != nil {
			return nil, err
		}
	}
	if counted := batch.RequestCounts; len(results) < counted.Completed+counted.Failed {
		return nil, c.server.Failure(&llm.Error{Kind: llm.KindTruncated, Err: fmt.Errorf(
			"the results of the batch %s are not all there: %d of %d", id, len(results), counted.Completed+counted.Failed)})
	}
	return results, nil
}

// complaints returns the errors in a job's file.
func (c *Client) complaints(b api.Batch) string {
	if b.Errors == nil || len(b.Errors.Data) == 0 {
		return "it gives no reason"
	}
	first := b.Errors.Data[0]
	if first.Line != nil {
		return fmt.Sprintf("line %d: %s", *first.Line, c.server.OneLine(first.Message))
	}
	return c.server.OneLine(first.Message)
}

// fetch reads a file of results, one per line.
func (c *Client) fetch(ctx context.Context, file string, results map[string]llm.BatchResult) error {
	if !isID(file) {
		return c.server.Failure(wire.Malformed("%q is not the id of a file", file))
	}
	return c.call(ctx, wire.Records, func(ctx context.Context, library *api.Client) error {
		content, err := library.GetFileContent(ctx, file)
		if err != nil {
			return err
		}
		defer content.Close() //nolint:errcheck // the rest is not needed
		lines := bufio.NewReader(content)
		for {
			line, err := lines.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) > 0 {
				if err := c.note(line, results); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

// resultLine is one result of a job.
type resultLine struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c *Client) note(line []byte, results map[string]llm.BatchResult) error {
	var result resultLine
	if err := json.Unmarshal(line, &result); err != nil {
		return err
	}
	if _, twice := results[result.CustomID]; twice || result.CustomID == "" {
		return wire.Malformed("the results of the batch have the key %.80q twice, or none", result.CustomID)
	}
	results[result.CustomID] = c.result(result)
	return nil
}

// result converts the result of one request.
func (c *Client) result(line resultLine) llm.BatchResult {
	switch {
	case line.Response != nil && line.Response.Status == http.StatusOK:
		answer := answer{settle: func() {}}
		err := c.server.Failure(answer.whole(bytes.NewReader(line.Response.Body)))
		return llm.BatchResult{Response: answer.response(c.server.Model), Err: err}
	case line.Response != nil && line.Response.Status >= 400:
		return llm.BatchResult{Err: c.server.Failure(c.server.Judge(line.Response.Status, line.Response.Body))}
	case line.Error == nil:
		return llm.BatchResult{Err: c.server.Failure(wire.Malformed("the batch reports no result for the request %.80q", line.CustomID))}
	case line.Error.Code == "batch_expired" || line.Error.Code == "batch_cancelled":
		return llm.BatchResult{Err: c.server.Failure(errExpired)}
	default:
		return llm.BatchResult{Err: c.server.Failure(wire.Transient("the request was not answered: %s", c.server.OneLine(line.Error.Message)))}
	}
}

var errExpired = &llm.Error{Kind: llm.KindMissing, Err: errors.New("the batch ended before the request was answered")}

package anthropic

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// Results implements llm.Batcher. It makes a second call for the number of results, to detect a truncated file. It
// checks tool calls except for their names, because the requests are unknown.
func (c *Client) Results(ctx context.Context, id string) (map[string]llm.BatchResult, error) {
	job, err := c.Poll(ctx, id)
	if err != nil {
		return nil, err
	}
	if !job.Ended {
		return nil, c.server.Failure(wire.Transient("the batch %s has not ended: there are no results yet", id))
	}
	results := make(map[string]llm.BatchResult, job.Items)
	err = c.results(ctx, id, func(name string, result api.MessageBatchResultUnion) bool {
		label, key, ours := parseName(name)
		if ours {
			c.remember(id, label)
		} else {
			key = name
		}
		results[key] = c.result(result)
		return true
	})
	if err == nil && len(results) < job.Items {
		err = c.server.Failure(&llm.Error{Kind: llm.KindTruncated, Err: fmt.Errorf(
			"the results of the batch %s are not all there: %d of %d", id, len(results), job.Items)})
	}
	if err != nil {
		return nil, err
	}
	return results, nil
}

// results yields the results of a job that has ended, until each returns false.
func (c *Client) results(ctx context.Context, id string, each func(name string, result api.MessageBatchResultUnion) bool) error {
	x, ctx := c.server.Exchange(ctx, wire.Lines)
	defer x.End()
	options, err := c.options(x)
	if err != nil {
		return x.Failure(err)
	}
	batches := api.NewMessageBatchService(options...)
	lines := batches.ResultsStreaming(ctx, id, api.MessageBatchResultsParams{})
	defer lines.Close() //nolint:errcheck // the rest is not needed
	for lines.Next() {
		line := lines.Current()
		if line.CustomID == "" {
			return x.Failure(wire.Malformed("the server sent something that is not a result of a batch"))
		}
		if !each(line.CustomID, line.Result) {
			return nil
		}
	}
	return x.Failure(lines.Err())
}

func (c *Client) result(result api.MessageBatchResultUnion) llm.BatchResult {
	var err error
	switch result.Type {
	case "succeeded":
		a := newAnswer(family{}, llm.Request{}, nil, func() {})
		a.anyTool = true
		err = a.take(&result.Message)
		return llm.BatchResult{Response: a.response(c.server.Model), Err: c.server.Failure(err)}
	case "errored":
		err = c.server.Judge(statuses[result.Error.Error.Type], []byte(result.Error.RawJSON()))
	case "expired":
		err = missing("expired before it was answered")
	case "canceled":
		err = missing("was cancelled before it was answered")
	default:
		err = wire.Malformed("the result is of the unknown type %q", result.Type)
	}
	return llm.BatchResult{Err: c.server.Failure(err)}
}

// statuses are the HTTP statuses that correspond to the error types of single requests in a batch.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest, "authentication_error": http.StatusUnauthorized, "billing_error": http.StatusPaymentRequired,
	"permission_error": http.StatusForbidden, "not_found_error": http.StatusNotFound, "request_too_large": http.StatusRequestEntityTooLarge,
	"rate_limit_error": http.StatusTooManyRequests, "api_error": http.StatusInternalServerError, "timeout_error": http.StatusGatewayTimeout,
	"overloaded_error": 529,
}

func missing(why string) error {
	return &llm.Error{Kind: llm.KindMissing, Err: errors.New("the request " + why)}
}

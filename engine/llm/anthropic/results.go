package anthropic

import (
	"context"
	"errors"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// Results implements llm.Batcher. It makes a second call, which says how many results there are: a shortened file of
// results is no file of missing ones. Calls of tools have been checked but for their names, since the requests are not
// at hand.
func (c *Client) Results(ctx context.Context, id string) (map[string]llm.BatchResult, error) {
	job, err := c.Poll(ctx, id)
	if err != nil {
		return nil, err
	}
	x, _ := c.server.Exchange(ctx, wire.Document)
	defer x.End()
	if !job.Ended {
		return nil, x.Failure(wire.Malformed("the batch %s has not ended: there are no results yet", id))
	}
	results := make(map[string]llm.BatchResult, job.Items)
	err = c.results(ctx, id, func(name string, result api.MessageBatchResultUnion) bool {
		label, key, ours := parseName(name)
		if ours {
			c.remember(id, label)
		} else {
			key = name
		}
		results[key] = c.result(x, result)
		return true
	})
	if err == nil && len(results) < job.Items {
		err = x.Failure(&llm.Error{Kind: llm.KindTruncated, Err: wire.ErrUnfinished})
	}
	if err != nil {
		return nil, err
	}
	return results, nil
}

// results reads the results of a job that has ended, one after the other, as long as more are wanted.
func (c *Client) results(ctx context.Context, id string, each func(name string, result api.MessageBatchResultUnion) bool) error {
	x, ctx := c.server.Exchange(ctx, wire.Lines)
	defer x.End()
	options, err := c.options(x)
	if err != nil {
		return x.Failure(err)
	}
	batches := api.NewMessageBatchService(options...)
	lines := batches.ResultsStreaming(ctx, id, api.MessageBatchResultsParams{})
	defer lines.Close() //nolint:errcheck // nothing more is wanted of it
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

func (c *Client) result(x *wire.Exchange, result api.MessageBatchResultUnion) llm.BatchResult {
	switch result.Type {
	case "succeeded":
		a := c.newAnswer(llm.Request{Whole: true}, nil, func() {})
		a.anyTool = true
		err := a.take(&result.Message)
		return llm.BatchResult{Response: a.response(c.server.Model), Err: x.Failure(err)}
	case "errored":
		return llm.BatchResult{Err: x.Failure(complaint(x, result))}
	case "expired":
		return llm.BatchResult{Err: x.Failure(missing("expired before it was answered"))}
	case "canceled":
		return llm.BatchResult{Err: x.Failure(missing("was cancelled before it was answered"))}
	default:
		return llm.BatchResult{Err: x.Failure(wire.Malformed("the result is %q, which is none of the known ones", result.Type))}
	}
}

func complaint(x *wire.Exchange, result api.MessageBatchResultUnion) error {
	failure := x.Complaint([]byte(result.Error.RawJSON()))
	if failure.Kind == llm.KindInvalid {
		blame(everything, failure)
	}
	return failure
}

func missing(why string) error {
	return &llm.Error{Kind: llm.KindMissing, Err: errors.New("the request " + why)}
}

package openai

import (
	"context"
	"errors"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/wire"
	"forge/internal/lazyregexp"
)

// call makes one call through the library, in its own exchange.
func (c *Client) call(ctx context.Context, f wire.Framing, do func(context.Context, *api.Client) error) error {
	x, ctx := c.server.Exchange(ctx, f)
	defer x.End()
	return x.Failure(do(ctx, c.library(x)))
}

// found requires an id in the result of a call: without one, the answer is not of this API.
func found(id string, err error) error {
	if err == nil && !isID(id) {
		return wire.Malformed("the answer has no id: does this server have a batch API?")
	}
	return err
}

// isID reports whether a text is safe in the path of a URL.
func isID(id string) bool { return idForm.MatchString(id) }

var idForm = lazyregexp.New(`^[A-Za-z0-9_-]{1,200}$`)

// status returns the HTTP status of a failure, or 0.
func status(err error) int {
	var failed *llm.Error
	if !errors.As(err, &failed) {
		return 0
	}
	return failed.Status
}

// refused reports whether a failure means that nothing was done.
func refused(err error) bool { return status(err) >= 400 && status(err) < 500 }

package ollama

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// The sizes of contexts, in tokens.
const (
	minContext = 8 << 10 // the server's own default of 4,096 or less is too small for most requests
	// maxContext limits the size for a model of unknown limits, because a context costs memory.
	maxContext = 128 << 10
	untold     = -1 // the server does not report it
)

// patience is the time limit for the server's answer about the model's limit.
const patience = 5 * time.Second

// fit returns the context size to ask for, and rejects requests that cannot fit. Both use bytes, because only the
// server has the model's tokens: a prompt is rejected by its usual minimum (four bytes per token, as prompts are
// packed), and gets room for its usual maximum (three bytes per token).
func (c *Client) fit(ctx context.Context, r llm.Request) (int, error) {
	window := c.limit(ctx)
	prompt, reply := estimate(r, 4), reserve(r)
	if least := prompt + min(reply, window/4); least > window {
		return 0, &llm.Error{Kind: llm.KindOverflow, Model: c.Name(), Err: fmt.Errorf(
			"the prompt has about %d tokens, and the model takes %d together with its answer: send less, or choose a model with a larger context", prompt, window)}
	}
	return c.grow(min(window, step(min(window, estimate(r, 3)+reply)))), nil
}

// grow returns the largest size requested so far.
func (c *Client) grow(size int) int {
	for {
		current := c.context.Load()
		if current >= int64(size) {
			return int(min(current, c.ceiling()))
		}
		if c.context.CompareAndSwap(current, int64(size)) {
			return size
		}
	}
}

// widen marks an overflow of a context that was chosen too small as transient, because the next call asks for a larger
// one. If a prompt fits even with one token per byte, no size helps it.
func (c *Client) widen(err error, r llm.Request, size int) error {
	var failure *llm.Error
	if !errors.As(err, &failure) || failure.Kind != llm.KindOverflow || size >= int(c.ceiling()) || size >= estimate(r, 1)+reserve(r) {
		return err
	}
	next := c.grow(min(int(c.ceiling()), 2*size))
	failure.Kind, failure.Err = llm.KindTransient, fmt.Errorf("%w: the next call asks for a context of %d", failure.Err, next)
	return failure
}

// ceiling is the upper limit of a context.
func (c *Client) ceiling() int64 {
	if window := c.window.Load(); window > 0 {
		return window
	}
	return maxContext
}

// Window returns how many tokens the model accepts, prompt and answer together; 0 if the server does not report it.
func (c *Client) Window(ctx context.Context) int {
	c.limit(ctx)
	return int(max(0, c.window.Load()))
}

// limit returns how many tokens the model accepts. The first call asks the server, and later ones ask again if there was no answer.
func (c *Client) limit(ctx context.Context) int {
	if c.window.Load() == 0 {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if window, err := show(ctx, c.server, c.server.Model); err == nil && window > 0 {
			c.window.Store(int64(window))
		} else if !passing(err) {
			c.window.Store(untold)
		}
	}
	return int(c.ceiling())
}

// step returns the power of two, from minContext, that holds a number of tokens.
func step(tokens int) int {
	size := minContext
	for size < tokens {
		size *= 2
	}
	return size
}

// estimate returns the tokens of a prompt with so many bytes per token.
func estimate(r llm.Request, bytesPerToken int) int {
	const perPart = 8 // the template's overhead for each part
	size, parts := 0, len(r.Messages)+len(r.Tools)
	for _, m := range r.Messages {
		size += len(m.Text)
		for _, call := range m.Calls {
			size += len(call.Name) + len(call.Arguments)
			parts++
		}
	}
	for _, t := range r.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return (size+bytesPerToken-1)/bytesPerToken + perPart*parts
}

// reserve returns the room to leave for the answer.
func reserve(r llm.Request) int {
	const usual, most = 2 << 10, 1 << 20
	if r.MaxTokens <= 0 {
		return usual + min(max(0, r.Thinking), most)
	}
	return min(r.MaxTokens, most) + min(max(0, r.Thinking), most)
}

// lost detects from the server's counts that it answered only a part of the prompt.
func lost(r llm.Request, counted llm.Usage, size int) error {
	const margin = 16 // a prompt with less room than this was truncated
	switch least := estimate(r, 4) / 3; {
	case counted.Input >= size-margin:
		return overflow("the prompt filled the whole context of %d tokens: the server cut its beginning off", size)
	case counted.Input+counted.Output > size:
		return overflow("prompt and answer went past the context of %d tokens: the server forgot the beginning while it answered", size)
	case counted.Input > 0 && counted.Input < least && estimate(r, 3) > size:
		return overflow("the server counted %d tokens of a prompt that has about %d: it left messages out to fit its context of %d",
			counted.Input, estimate(r, 4), size)
	default:
		return nil
	}
}

func overflow(format string, args ...any) error {
	failure := wire.Malformed(format, args...)
	failure.Kind = llm.KindOverflow
	return failure
}

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
	minContext = 8 << 10 // the server's own default is 4,096 and less, which hardly any request fits
	// maxContext bounds what is asked for where nobody knows what the model takes: a context costs memory.
	maxContext = 128 << 10
	untold     = -1 // the server does not say
)

// patience is how long to wait for the server to say what the model takes.
const patience = 5 * time.Second

// fit gives the size of the context to ask for, and refuses what cannot fit. Both go by bytes, because only the
// server has the model's tokens: a prompt is refused by what it takes at least as a rule (a token for four bytes, as
// prompts are packed), and given the room that it may take (one for three).
func (c *Client) fit(ctx context.Context, r llm.Request) (int, error) {
	window := c.limit(ctx)
	prompt, reply := estimate(r, 4), reserve(r)
	if least := prompt + min(reply, window/4); least > window {
		return 0, &llm.Error{Kind: llm.KindOverflow, Model: c.Name(), Err: fmt.Errorf(
			"the prompt has about %d tokens, and the model takes %d together with its answer: send less, or choose a model with a larger context", prompt, window)}
	}
	return c.grow(min(window, step(min(window, estimate(r, 3)+reply)))), nil
}

// grow gives the largest size that was ever asked for.
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

// widen makes an overflow of a context that was chosen too small, by us, what it is: something that the next call does
// not meet, because it asks for a larger one. A prompt that fits with a token for each byte fits: no size helps it.
func (c *Client) widen(err error, r llm.Request, size int) error {
	var failure *llm.Error
	if !errors.As(err, &failure) || failure.Kind != llm.KindOverflow || size >= int(c.ceiling()) || size >= estimate(r, 1)+reserve(r) {
		return err
	}
	next := c.grow(min(int(c.ceiling()), 2*size))
	failure.Kind, failure.Err = llm.KindTransient, fmt.Errorf("%w: the next call asks for a context of %d", failure.Err, next)
	return failure
}

// ceiling is what no context may exceed.
func (c *Client) ceiling() int64 {
	if window := c.window.Load(); window > 0 {
		return window
	}
	return maxContext
}

// limit is how many tokens the model takes. The first call asks the server, and also a later one if there was no
// answer yet.
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

// step is the power of two, from minContext, in which a number of tokens fits.
func step(tokens int) int {
	size := minContext
	for size < tokens {
		size *= 2
	}
	return size
}

// estimate is how many tokens a prompt has if each has so many bytes.
func estimate(r llm.Request, bytesPerToken int) int {
	const perPart = 8 // what the model's template puts around each part
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

// reserve is the room to leave for the answer.
func reserve(r llm.Request) int {
	const usual, most = 2 << 10, 1 << 20
	if r.MaxTokens <= 0 {
		return usual + min(max(0, r.Thinking), most)
	}
	return min(r.MaxTokens, most) + min(max(0, r.Thinking), most)
}

// lost tells from the server's own counts that it answered only a part of the prompt.
func lost(r llm.Request, counted llm.Usage, size int) error {
	const margin = 16 // a prompt that leaves no more than this was made to fit
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

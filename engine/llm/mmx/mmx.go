// Package mmx calls MiniMax through its own command line, mmx (https://github.com/MiniMax-AI/cli), for users who are
// logged in there. It is the user's program: an absolute path, found on PATH at configuration, outside of the open
// folders.
//
// Private data is not in the arguments, which every user of the computer can read: the prompt is on stdin, the tool
// definitions and the key are in files that only this user can read, in a folder that exists for one call. The key
// cannot be in the environment: versions of mmx around 1.0.12 copy MINIMAX_API_KEY into the user's configuration, and
// 1.0.27 ignores it.
//
// mmx prints a complete answer, so a stream is one piece; mmx's own streaming omits the finish reason, so a truncated
// answer would look complete.
package mmx

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"forge/engine/llm"
	"forge/engine/sandbox"
)

// DefaultTimeout is the default of Options.Timeout. It is mmx's own.
const DefaultTimeout = 5 * time.Minute

// maxOutput limits mmx's output, in bytes; an answer is much smaller.
const maxOutput = 16 << 20

// Options are how to run mmx.
type Options struct {
	Program string // absolute path, from Find
	Runner  sandbox.Runner
	Model   string // MiniMax's name of the model; empty leaves it to mmx

	// Key is MiniMax's key. Empty leaves it to mmx, which uses that of `mmx auth login`.
	Key string
	// BaseURL is MiniMax's; empty leaves it to mmx, which finds the region of a key by trying.
	BaseURL string

	// Environ is the user's environment ("NAME=value"), which provides mmx's proxies and its own folder.
	Environ []string
	// Scratch is an absolute folder for the files of a call. Empty is Environ's XDG_RUNTIME_DIR, which is in memory
	// and keeps the key off the disk, or the system's folder for temporary files.
	Scratch string
	// Timeout limits a call with a short answer; longer ones have more time (llm.Request.Within). 0 is DefaultTimeout.
	Timeout time.Duration
	// Now is the clock, for latency; nil is time.Now.
	Now func() time.Time
}

// Client is one model of MiniMax behind mmx.
type Client struct {
	o      Options
	region atomic.Pointer[string] // of Options.Key, as found by mmx; nil if unknown
}

var (
	_ llm.Model   = (*Client)(nil)
	_ llm.Thinker = (*Client)(nil)
)

// New returns a client. It does no I/O.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{o: o}
}

// Name returns the model: "MiniMax-M2.7 by mmx".
func (c *Client) Name() string {
	if c.o.Model == "" {
		return "mmx's default model"
	}
	return c.o.Model + " by mmx"
}

// Thinks implements llm.Thinker.
func (c *Client) Thinks() bool { return true }

// Complete implements llm.Model. mmx accepts no schema (KindUnsupported) and no forced choice of a tool: with UseTool
// only that tool is offered, and an answer without it is KindInvalid. MiniMax accepts temperatures above 0 and up to
// 1: 0 is sent as 0.01. Its models decide how long they think; Thinking only makes room for it.
func (c *Client) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	began := c.o.Now()
	response, err := c.complete(ctx, r)
	response.Latency = c.o.Now().Sub(began)
	if response.Text != "" && onDelta != nil && !r.Whole {
		onDelta(response.Text)
	}
	return response, c.failure(ctx, cmp.Or(err, ctx.Err()))
}

func (c *Client) complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if r.Schema != nil {
		return llm.Response{}, &llm.Error{Kind: llm.KindUnsupported, Feature: llm.FeatureSchema, Err: errors.New("mmx takes no schema for an answer")}
	}
	folder, err := c.prepare(r)
	if err != nil {
		return llm.Response{}, invalid("prepare a call of mmx: %v", err)
	}
	defer folder.clear()
	prompt, err := json.Marshal(messages(r.Messages))
	if err != nil {
		return llm.Response{}, invalid("the request cannot be written as JSON: %v", err)
	}
	result, err := c.o.Runner.Run(ctx, sandbox.Command{
		Argv: c.arguments(r, folder), Dir: folder.dir, Env: folder.env, Stdin: bytes.NewReader(prompt),
		Timeout: r.Within(c.o.Timeout) + time.Second, MaxOutput: maxOutput, // mmx ends a second before, because its own message is better than a kill
	})
	if err != nil {
		return llm.Response{}, notRun(err)
	}
	c.learn(folder)
	if err := c.ended(result, r.Within(c.o.Timeout)); err != nil {
		return llm.Response{}, err
	}
	return read(r, result.Stdout, c.o.Model)
}

// failure returns the error for the caller: ctx's error if the caller cancelled, otherwise an *llm.Error with the
// model's name and without the key.
func (c *Client) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("ask %s: %w", c.Name(), ended)
	}
	var failed *llm.Error
	if !errors.As(err, &failed) {
		failed = &llm.Error{Kind: llm.KindInvalid, Err: err}
	}
	failed.Model = c.Name()
	failed.Err = errors.New(c.redact(failed.Err.Error()))
	return failed
}

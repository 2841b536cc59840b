// Package mmx asks MiniMax through its own command line, mmx (https://github.com/MiniMax-AI/cli), for people who are
// logged in there. It is the user's program: an absolute path found on PATH when it is configured, outside of the
// folders that are open.
//
// What must stay private stays off the list of arguments, which every user of the computer can read: the prompt goes
// in by stdin, the definitions of tools and the key by files that only this user can read, in a folder that is there
// for the length of one call. The key cannot go by the environment: versions of mmx around 1.0.12 copy
// MINIMAX_API_KEY into the user's configuration, and 1.0.27 does not look at it any more.
//
// mmx prints an answer when it is whole, so that a stream is one piece; when it streams by itself it keeps the finish
// reason to itself, and a cut answer could not be told from a whole one.
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

// DefaultTimeout bounds a call for which Options name no time. It is mmx's own.
const DefaultTimeout = 5 * time.Minute

// maxOutput is how much mmx may print, in bytes; an answer has a small part of it.
const maxOutput = 16 << 20

// Options say how to run mmx.
type Options struct {
	Program string // its absolute path, as Find gives it
	Runner  sandbox.Runner
	Model   string // as MiniMax names it; empty leaves it to mmx

	// Key is MiniMax's. Empty leaves it to mmx, which looks where `mmx auth login` put it.
	Key string
	// BaseURL and Region ("global", "cn") say where MiniMax is; empty leaves it to mmx, which finds the region of a
	// key by trying.
	BaseURL, Region string

	// Environ is the user's environment ("NAME=value"): mmx gets the proxies in it, and its own folder.
	Environ []string
	// Scratch is an absolute folder for the files of a call. Empty is the one that Environ's XDG_RUNTIME_DIR names,
	// which is in memory and keeps the key off the disk, or else the system's for temporary files.
	Scratch string
	// Timeout bounds a call; 0 is DefaultTimeout.
	Timeout time.Duration
	// Now is the clock, for latency; nil is time.Now.
	Now func() time.Time
}

// Client is one model of MiniMax behind mmx.
type Client struct {
	o      Options
	region atomic.Pointer[string] // of Options.Key, as mmx has found it; nil is not yet
}

var _ llm.Model = (*Client)(nil)

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

// Name says which model this is: "MiniMax-M2.7 by mmx".
func (c *Client) Name() string {
	if c.o.Model == "" {
		return "mmx's default model"
	}
	return c.o.Model + " by mmx"
}

// Complete implements llm.Model. mmx takes no schema (KindUnsupported) and no forced choice of a tool: with UseTool
// only that tool is offered, and an answer without it is KindInvalid. MiniMax takes temperatures above 0 and up to 1:
// 0 is sent as 0.01. How long its models think is their own decision; Thinking only makes room for it.
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
	desk, err := c.prepare(r)
	if err != nil {
		return llm.Response{}, invalid("prepare a call of mmx: %v", err)
	}
	defer desk.clear()
	prompt, err := json.Marshal(messages(r.Messages))
	if err != nil {
		return llm.Response{}, invalid("the request cannot be written as JSON: %v", err)
	}
	result, err := c.o.Runner.Run(ctx, sandbox.Command{
		Argv: c.arguments(r, desk), Dir: desk.dir, Env: desk.env, Stdin: bytes.NewReader(prompt),
		Timeout: c.o.Timeout + time.Second, MaxOutput: maxOutput, // mmx is told Timeout, and says more than a kill
	})
	if err != nil {
		return llm.Response{}, notRun(err)
	}
	c.learn(desk)
	if err := c.ended(result); err != nil {
		return llm.Response{}, err
	}
	return read(r, result.Stdout, c.o.Model)
}

// failure is what the caller sees: ctx's error if the caller gave up, else an *llm.Error with the model's name and
// without the key.
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

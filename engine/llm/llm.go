// Package llm is the vocabulary of language models: a request is one self-contained document, a
// response is text, or calls of tools, with a finish reason and usage. Adapters live beside each other, one
// package per wire format (engine/llm/openai); engine/llm/llmtest is the scripted model. What stands
// between a step and an adapter is a Model as well, wrapped around another one:
//
//	Fallback( Cache( Retry( spend.Wall( Breaker( Limit( Degrade( adapter )))))))
//
// Between Cache and Retry, engine/activity has a model of this machine loaded before its first call (Warmer).
//
// Invariant: an answer that did not end with a finish reason is an error (KindTruncated), never a
// shorter answer.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Role is who speaks in a message.
type Role string

// The roles every provider knows.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool" // the result of the tool: the answer to one ToolCall
)

// Message is one turn of a request.
type Message struct {
	Role Role
	Text string
	// Stable says that everything up to the end of this message comes again, byte for byte, in requests that
	// follow soon: a provider that is told what to cache is told this. At most four messages are.
	Stable bool `json:",omitempty"`
	// Calls are what an Assistant asked for.
	Calls []ToolCall `json:",omitempty"`
	// CallID is the ToolCall that a message of Tool answers.
	CallID string `json:",omitempty"`
	// Failed says that the tool did not do what it was asked for; Text says why.
	Failed bool `json:",omitempty"`
}

// ToolDef is a tool that a model may ask for.
type ToolDef struct {
	Name        string // [a-zA-Z0-9_-], at most 64 characters
	Description string
	Schema      json.RawMessage // JSON Schema of its arguments, an object
}

// ToolCall is a tool that a model asks for. Nothing has checked the arguments but that they are one JSON object.
type ToolCall struct {
	ID        string // unique in its request
	Name      string
	Arguments json.RawMessage
}

// AnyTool, as Request.UseTool, makes the model ask for at least one tool.
const AnyTool = "*"

// Request is a self-contained document: the model needs no other call to understand it.
type Request struct {
	// Node and Attempt say where the request comes from: "executor", 2. They travel to scripted models
	// and logs, never to a provider's prompt.
	Node    string
	Attempt int
	// Key is the same whenever the same call is made again, also by another process: a provider that heeds it
	// gives the answer that was paid for once more. Empty is none.
	Key string

	Messages    []Message
	Temperature float64         // 0 is sent as 0, not left out (see OwnTemperature)
	MaxTokens   int             // of the answer; 0 lets the provider decide
	Schema      json.RawMessage // JSON Schema of the answer; nil asks for free text
	SchemaName  string          // name of the schema on the wire: "executor_reply"

	// Tier is what the request asks of a model; empty leaves it to the node.
	Tier Tier `json:",omitempty"`
	// Tools are what the model may ask for instead of answering. Calls of others are a fault (KindInvalid).
	Tools []ToolDef `json:",omitempty"`
	// UseTool is the name of the tool that the model must ask for, or AnyTool; empty leaves it to the model.
	UseTool string `json:",omitempty"`
	// Thinking is how many tokens the model may think before it answers, where it can; they are billed as
	// output, beside MaxTokens. 0 is none.
	Thinking int `json:",omitempty"`
	// OwnTemperature leaves the temperature to the model: none is sent. Degrade sets it for models that take none.
	OwnTemperature bool `json:",omitempty"`
	// Whole asks for the answer in one piece instead of a stream: onDelta sees nothing of it.
	Whole bool `json:",omitempty"`
}

// Tier is what a request asks of a model.
type Tier string

// The tiers.
const (
	Reasoning      Tier = "reasoning"      // planning, conflicts, reviews that disagree
	Generation     Tier = "generation"     // code, tests, specifications
	Summarisation  Tier = "summarisation"  // long texts made short
	Classification Tier = "classification" // one of a few answers
)

// FinishReason says why the model stopped.
type FinishReason string

// The finish reasons that adapters map to.
const (
	FinishStop    FinishReason = "stop"
	FinishLength  FinishReason = "length"
	FinishFilter  FinishReason = "filter"
	FinishRefusal FinishReason = "refusal"
	FinishTools   FinishReason = "tools" // the model asks for tools: Response.Calls
)

// Usage counts tokens as the provider billed them; zero where it did not say. Input is what was neither read from
// nor written to its cache.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int
}

// Add returns the sum of both.
func (u Usage) Add(o Usage) Usage {
	return Usage{u.Input + o.Input, u.Output + o.Output, u.CacheRead + o.CacheRead, u.CacheWrite + o.CacheWrite}
}

// Response is a whole answer.
type Response struct {
	Text    string
	Calls   []ToolCall `json:",omitempty"` // not empty exactly with FinishTools
	Finish  FinishReason
	Usage   Usage
	Model   string // as the provider names it
	Latency time.Duration
	Cached  bool `json:",omitempty"` // it was given before, and costs nothing
	// Cost is what the answer cost; spend.Wall says it. Attempts that failed are not in it.
	Cost Cost `json:",omitzero"`
}

// Model completes requests. Implementations are safe for concurrent use, make no retries of their
// own (see Retry), and return *Error for every failure that came from the provider or the network.
type Model interface {
	// Name is what people know the model by: "gpt-4o-mini at api.openai.com", "scripted".
	Name() string
	// Complete streams the answer: onDelta, if not nil, sees each piece of text as it arrives, in order,
	// from the calling goroutine; no piece is empty. The response is whole, or the error is not nil: an
	// answer that ended by length, filter or refusal is an error (KindLength, KindRefused) beside what
	// there is of the response. When ctx ends, the error is ctx's, within moments.
	Complete(ctx context.Context, r Request, onDelta func(string)) (Response, error)
}

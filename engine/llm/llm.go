// Package llm is the vocabulary of language models: a request is one self-contained document, a response is
// text, or calls of tools, with a finish reason and usage. Adapters are in one package per wire format
// (engine/llm/openai); engine/llm/llmtest is the scripted model. The layers between a step and an adapter
// are Models as well, which wrap another one:
//
//	Fallback( Cache( Retry( spend.Wall( Breaker( Limit( Degrade( adapter )))))))
//
// Between Cache and Retry, engine/activity loads a model of this machine before its first call (Warmer).
//
// Invariant: an answer that did not end with a finish reason is an error (KindTruncated), never a shorter answer.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Role is the author of a message.
type Role string

// The roles every provider knows.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool" // the result of a tool: the answer to one ToolCall
)

// Message is one turn of a request.
type Message struct {
	Role Role
	Text string
	// Stable means that everything up to the end of this message will be repeated, byte for byte, in
	// requests that follow soon: a provider with explicit caching gets a mark there. At most four messages
	// are marked.
	Stable bool `json:",omitempty"`
	// Calls are the tool calls of an Assistant.
	Calls []ToolCall `json:",omitempty"`
	// CallID is the ToolCall that a Tool message answers.
	CallID string `json:",omitempty"`
	// Failed means that the tool failed; Text is the reason.
	Failed bool `json:",omitempty"`
}

// ToolDef is a tool that a model may call.
type ToolDef struct {
	Name        string // [a-zA-Z0-9_-], at most 64 characters
	Description string
	Schema      json.RawMessage // JSON Schema of its arguments, an object
}

// ToolCall is a model's call of a tool. The arguments are one JSON object, and are not checked further.
type ToolCall struct {
	ID        string // unique in its request
	Name      string
	Arguments json.RawMessage
}

// AnyTool, as Request.UseTool, makes the model call at least one tool.
const AnyTool = "*"

// Request is a self-contained document: the model needs no other call to understand it.
type Request struct {
	// Node and Attempt are the origin of the request: "executor", 2. They are sent to scripted models and
	// logs, never in a provider's prompt.
	Node    string
	Attempt int
	// Key is the same each time the same call is repeated, even by another process: a provider that supports
	// it returns the billed answer again. Empty is none.
	Key string

	Messages    []Message
	Temperature float64         // 0 is sent as 0, not omitted (see OwnTemperature)
	MaxTokens   int             // of the answer; 0 lets the provider decide
	Schema      json.RawMessage // JSON Schema of the answer; nil asks for free text
	SchemaName  string          // name of the schema on the wire: "executor_reply"

	// Tier is the class of model for the request; empty leaves it to the node.
	Tier Tier `json:",omitempty"`
	// Tools are what the model may call instead of answering. Calls of others are errors (KindInvalid).
	Tools []ToolDef `json:",omitempty"`
	// UseTool is the name of the tool that the model must call, or AnyTool; empty leaves it to the model.
	UseTool string `json:",omitempty"`
	// Thinking is how many tokens the model may think before it answers, if supported; they are billed as
	// output, in addition to MaxTokens. 0 is none, or as little as the model can be kept to: see Thinker.
	Thinking int `json:",omitempty"`
	// OwnTemperature sends no temperature. Degrade sets it for models that reject one.
	OwnTemperature bool `json:",omitempty"`
	// Whole requests the answer in one piece instead of a stream: onDelta gets nothing.
	Whole bool `json:",omitempty"`
}

// Within returns how long an answer in one piece may take if the first piece of another one may take so long: as long again
// for each 3,000 tokens of the answer, which are ten a second if it is five minutes.
func (r Request) Within(first time.Duration) time.Duration {
	const each = 3_000
	return first + time.Duration(float64(first)*float64(max(0, r.MaxTokens)+max(0, r.Thinking))/each)
}

// Tier is the class of model that a request needs.
type Tier string

// The tiers.
const (
	Reasoning      Tier = "reasoning"      // planning, conflicts, reviews that disagree
	Generation     Tier = "generation"     // code, tests, specifications
	Summarisation  Tier = "summarisation"  // summaries of long texts
	Classification Tier = "classification" // one of a few answers
)

// FinishReason is why the model stopped.
type FinishReason string

// The finish reasons of adapters.
const (
	FinishStop    FinishReason = "stop"
	FinishLength  FinishReason = "length"
	FinishFilter  FinishReason = "filter"
	FinishRefusal FinishReason = "refusal"
	FinishTools   FinishReason = "tools" // the model calls tools: Response.Calls
)

// Usage counts tokens as the provider billed them; zero if unknown. Input excludes tokens that were read from or
// written to its cache.
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
	Model   string // the provider's name of the model
	Latency time.Duration
	Cached  bool `json:",omitempty"` // from Forge's cache, free
	// Cost is the cost of the answer, set by spend.Wall, without failed attempts.
	Cost Cost `json:",omitzero"`
}

// Model completes requests. Implementations are safe for concurrent use, do not retry (see Retry), and
// return *Error for every failure of the provider or the network.
type Model interface {
	// Name is the name for users: "gpt-4o-mini at api.openai.com", "scripted".
	Name() string
	// Complete streams the answer: onDelta, if not nil, gets each piece of text as it arrives, in order,
	// from the calling goroutine; no piece is empty. The response is complete, or the error is not nil: an
	// answer that ended by length, filter or refusal is an error (KindLength, KindRefused) with the
	// partial response. When ctx ends, the error is ctx's, promptly.
	Complete(ctx context.Context, r Request, onDelta func(string)) (Response, error)
}

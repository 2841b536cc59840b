// Package llm is the vocabulary of language models: a request is one self-contained document, a
// response is text with a finish reason and usage. Adapters live beside each other, one package per
// wire format (engine/llm/openai); engine/llm/llmtest is the scripted model.
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
)

// Message is one turn of a request.
type Message struct {
	Role Role
	Text string
}

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
	Temperature float64         // 0 is sent as 0, not left out
	MaxTokens   int             // of the answer; 0 lets the provider decide
	Schema      json.RawMessage // JSON Schema of the answer; nil asks for free text
	SchemaName  string          // name of the schema on the wire: "executor_reply"
}

// FinishReason says why the model stopped.
type FinishReason string

// The finish reasons that adapters map to.
const (
	FinishStop    FinishReason = "stop"
	FinishLength  FinishReason = "length"
	FinishFilter  FinishReason = "filter"
	FinishRefusal FinishReason = "refusal"
)

// Usage counts tokens as the provider billed them; zero where it did not say.
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
	Finish  FinishReason
	Usage   Usage
	Model   string // as the provider names it
	Latency time.Duration
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

package event

import (
	"fmt"
	"time"

	"forge/engine/llm"
)

// ModelCalled is a finished call to the model, successful or not.
type ModelCalled struct {
	Node       string        `wire:"node"`
	Attempt    int           `wire:"attempt"`
	Round      int           `wire:"round" doc:"0 is the call itself; 1 and 2 are repairs of an answer that could not be parsed"`
	Model      string        `wire:"model"`
	Input      int           `wire:"inputTokens" doc:"billed by the provider: neither read from nor written to its cache"`
	Output     int           `wire:"outputTokens"`
	CacheRead  int           `wire:"cacheReadTokens,omitempty" doc:"part of the request that the provider read from its cache"`
	CacheWrite int           `wire:"cacheWriteTokens,omitempty" doc:"part of the request that the provider wrote to its cache"`
	Cost       llm.Cost      `wire:"cost"`
	Cached     bool          `wire:"cached,omitempty" doc:"the answer came from Forge's cache, without cost"`
	Elapsed    time.Duration `wire:"elapsedMs"`
	Failure    string        `wire:"failure,omitempty"` // empty when the answer was usable
	Kind       llm.Kind      `json:",omitempty" wire:"failureKind,omitempty" doc:"kind of the failure of a call without an answer: budget, refused, auth, overflow, …"`
	// Again is the wait before Forge repeats the call; 0 means that it does not.
	Again    time.Duration `wire:"againMs,omitempty" doc:"delay before the same call is repeated"`
	StandIn  string        `wire:"standIn,omitempty" doc:"the model that replaces this one, because it failed"`
	Manifest llm.Manifest  `json:",omitzero" wire:"prompt,omitzero" doc:"composition of the request; missing for a repeated call"`
}

// Type returns the name of the event.
func (ModelCalled) Type() string { return "model" }

// ToolUsed is a tool call for a model.
type ToolUsed struct {
	Node    string `wire:"node"`
	Attempt int    `wire:"attempt"`
	Tool    string `wire:"tool"`
	Args    string `wire:"args" doc:"beginning of the arguments, JSON"`
	Failed  bool   `wire:"failed" doc:"the call failed, and the model got the reason"`
	Cut     bool   `wire:"cut" doc:"the result for the model was truncated"`
	Bytes   int    `wire:"bytes" doc:"size of the result for the model"`
	Refused string `json:",omitempty" wire:"refused,omitempty" doc:"the tool was not called: code of the reason, as in the audit log"`
	Reason  string `json:",omitempty" wire:"reason,omitempty" doc:"why it was not called"`
}

// Type returns the name of the event.
func (ToolUsed) Type() string { return "tool" }

// ErrandState is how far an errand is.
type ErrandState string

// The states of an errand.
const (
	ErrandRunning ErrandState = "running"
	ErrandDone    ErrandState = "done"
	ErrandFailed  ErrandState = "failed" // nothing was found out, or no answer was usable
)

// ErrandReported is an errand of an agent: it begins, or it has ended.
type ErrandReported struct {
	ID      string      `wire:"id" doc:"sub_ and twelve hexadecimal digits"`
	Node    string      `wire:"node"`
	Attempt int         `wire:"attempt"`
	Agent   string      `wire:"agent" doc:"as forge.agents.list names it"`
	Task    string      `wire:"task" doc:"what the agent was asked"`
	State   ErrandState `wire:"state" enum:"running,done,failed"`
	Rounds  int         `wire:"rounds" doc:"limit of its answers"`
	Tokens  int         `wire:"tokens,omitempty" doc:"of all its requests and answers"`
	Result  string      `wire:"result,omitempty" doc:"beginning of what was found out, or why nothing was"`
}

// Type returns the name of the event.
func (ErrandReported) Type() string { return "errand" }

// BatchWaiting reports the batch that a model call waits for, if its provider answers within a day. ModelCalled ends the wait.
type BatchWaiting struct {
	Node     string    `wire:"node"`
	Attempt  int       `wire:"attempt"`
	Model    string    `wire:"model"`
	Provider string    `wire:"provider"`
	Batch    string    `wire:"batch,omitempty" doc:"id given by the provider; missing until it is known"`
	State    string    `wire:"state" enum:"gathered,submitting,unsent,submitted,ended"`
	Items    int       `wire:"items,omitempty" doc:"number of requests in it, of all runs"`
	Since    time.Time `wire:"since,omitempty" doc:"RFC 3339, UTC"`
	Trouble  string    `wire:"trouble,omitempty" doc:"error of the last poll"`
}

// Type returns the name of the event.
func (BatchWaiting) Type() string { return "batch" }

// String returns the batch for users: batch batch_1 at openai (3 requests).
func (w BatchWaiting) String() string {
	text := "batch"
	if w.Batch != "" {
		text += " " + w.Batch
	}
	text += " at " + w.Provider
	if w.Items > 0 {
		text += fmt.Sprintf(" (%d requests)", w.Items)
	}
	return text
}

// ModelWarming reports that a call waits until a server of this machine has loaded its model, which takes seconds to minutes.
// ModelWarmed ends the wait, unless the process ends first.
type ModelWarming struct {
	Node    string `wire:"node"`
	Attempt int    `wire:"attempt"`
	Model   string `wire:"model"`
}

// Type returns the name of the event.
func (ModelWarming) Type() string { return "warming" }

// ModelWarmed reports that a model is loaded, or that loading failed: the call is made in any case.
type ModelWarmed struct {
	Node    string        `wire:"node"`
	Attempt int           `wire:"attempt"`
	Model   string        `wire:"model"`
	Elapsed time.Duration `wire:"elapsedMs"`
	Failure string        `wire:"failure,omitempty" doc:"why it is not loaded; the call is made anyway"`
}

// Type returns the name of the event.
func (ModelWarmed) Type() string { return "warmed" }

// Spent is the sum of a run's costs so far, including those before it was resumed and those of failed attempts.
type Spent struct {
	Tokens int64     `wire:"tokens" doc:"charged tokens of all kinds"`
	Usage  llm.Usage `wire:",inline"` // as far as providers reported it
	// Held are tokens that may be added: of calls in progress, or with an unknown end.
	Held          int64    `wire:"heldTokens,omitempty" doc:"tokens that may be added: of calls in progress, or interrupted ones"`
	Cost          llm.Cost `wire:"cost"`
	LimitTokens   int64    `wire:"limitTokens,omitempty"` // 0 is no limit
	LimitMicroUSD int64    `wire:"limitUSD,omitempty,usd"`
}

// Type returns the name of the event.
func (Spent) Type() string { return "spent" }

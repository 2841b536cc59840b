package api

import (
	"forge/engine/llm"
)

// Cost is an amount of money.
type Cost struct {
	USD          float64 `json:"usd" doc:"US dollars, to a millionth, rounded up"`
	UnknownPrice bool    `json:"unknownPrice,omitempty" doc:"some usage has no known price and is not included in usd"`
	Text         string  `json:"text" doc:"formatted for display: $0.07"`
}

// Tokens are the token counts that providers reported.
type Tokens struct {
	InputTokens      int `json:"inputTokens" doc:"reported by providers: neither read from nor written to their caches"`
	OutputTokens     int `json:"outputTokens"`
	CacheReadTokens  int `json:"cacheReadTokens"`
	CacheWriteTokens int `json:"cacheWriteTokens"`
}

func tokensOf(u llm.Usage) Tokens { return Tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite} }

// CostArgs filter and group costs.
type CostArgs struct {
	RunID string `json:"runId,omitempty" doc:"only this run; without it all runs"`
	Since string `json:"since,omitempty" doc:"only calls of this period: 24h, 7d; without it all"`
	By    string `json:"by,omitempty" doc:"how to group; default is model" enum:"model,run,day,node"`
}

// CostResult lists costs over all folders, highest first; by day, newest first.
type CostResult struct {
	Rows  []CostRow `json:"rows"`
	Total CostRow   `json:"total"`
}

// CostRow is the cost of one model, run, node or day.
type CostRow struct {
	Name             string `json:"name"`
	Attempts         int    `json:"attempts" doc:"calls that were not rejected"`
	Tokens           int64  `json:"tokens" doc:"charged tokens of all kinds"`
	InputTokens      int    `json:"inputTokens"`
	OutputTokens     int    `json:"outputTokens"`
	CacheReadTokens  int    `json:"cacheReadTokens"`
	CacheWriteTokens int    `json:"cacheWriteTokens"`
	HeldTokens       int64  `json:"heldTokens,omitempty" doc:"part of tokens: calls with unknown results, charged at their maximum"`
	Cost             Cost   `json:"cost"`
}

// CacheCleared reports the deleted answers.
type CacheCleared struct {
	Answers int `json:"answers"`
}

// CostOf converts an amount to the wire.
func CostOf(c llm.Cost) Cost {
	return Cost{USD: usd(c.MicroUSD), UnknownPrice: c.Unpriced, Text: c.String()}
}

// String formats the amount for display; nil is zero.
func (c *Cost) String() string {
	if c == nil {
		return llm.Cost{}.String()
	}
	return c.Text
}

func usd(micro int64) float64 { return float64(micro) / 1e6 }

package api

import "forge/engine/llm"

// Cost is an amount of money.
type Cost struct {
	USD          float64 `json:"usd" doc:"US dollars, to a millionth, rounded up"`
	UnknownPrice bool    `json:"unknownPrice,omitempty" doc:"there was something whose price is not known, and which is not in usd"`
	Text         string  `json:"text" doc:"for people: $0.07"`
}

// Tokens are tokens as providers said them.
type Tokens struct {
	InputTokens      int `json:"inputTokens" doc:"as providers said it: neither read from nor written to their caches"`
	OutputTokens     int `json:"outputTokens"`
	CacheReadTokens  int `json:"cacheReadTokens"`
	CacheWriteTokens int `json:"cacheWriteTokens"`
}

func tokensOf(u llm.Usage) Tokens { return Tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite} }

// CostArgs choose what was spent.
type CostArgs struct {
	RunID string `json:"runId,omitempty" doc:"of one run; without it of all"`
	Since string `json:"since,omitempty" doc:"how long ago it may have begun: 24h, 7d; without it everything"`
	By    string `json:"by,omitempty" doc:"what is added up; model without it" enum:"model,run,day,node"`
}

// CostResult is what was spent in all folders, the dearest first; by day, the newest.
type CostResult struct {
	Rows  []CostRow `json:"rows"`
	Total CostRow   `json:"total"`
}

// CostRow is what was spent on one model, by one run or node, or on one day.
type CostRow struct {
	Name             string `json:"name"`
	Attempts         int    `json:"attempts" doc:"calls that were not turned down"`
	Tokens           int64  `json:"tokens" doc:"charged, of whatever kind"`
	InputTokens      int    `json:"inputTokens"`
	OutputTokens     int    `json:"outputTokens"`
	CacheReadTokens  int    `json:"cacheReadTokens"`
	CacheWriteTokens int    `json:"cacheWriteTokens"`
	HeldTokens       int64  `json:"heldTokens,omitempty" doc:"part of tokens: calls whose end is not known, charged at their most"`
	Cost             Cost   `json:"cost"`
}

// CacheCleared reports what was deleted.
type CacheCleared struct {
	Answers int `json:"answers"`
}

package api

import (
	"strconv"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/spend"
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

// CostsOf converts a report to the wire and adds the total.
func CostsOf(rows []spend.Row) CostResult {
	total := spend.Row{Name: "total"}
	for _, r := range rows {
		total.Attempts += r.Attempts
		total.Tokens += r.Tokens
		total.Held += r.Held
		total.Usage = total.Usage.Add(r.Usage)
		total.Cost = total.Cost.Add(r.Cost)
	}
	return CostResult{Rows: list(rows, costRowOf), Total: costRowOf(total)}
}

func costRowOf(r spend.Row) CostRow {
	return CostRow{
		Name: r.Name, Attempts: r.Attempts, Tokens: r.Tokens, HeldTokens: r.Held,
		InputTokens: r.Usage.Input, OutputTokens: r.Usage.Output,
		CacheReadTokens: r.Usage.CacheRead, CacheWriteTokens: r.Usage.CacheWrite, Cost: CostOf(r.Cost),
	}
}

// CostQuery converts the arguments to a query at time now. An *ArgumentError names a wrong argument.
func CostQuery(a CostArgs, now time.Time) (spend.Query, error) {
	q := spend.Query{Run: a.RunID, By: spend.By(a.By)}
	if a.Since == "" {
		return q, nil
	}
	ago, err := parseAgo(a.Since)
	if err != nil || ago <= 0 {
		return q, &ArgumentError{Field: "since", Want: strconv.Quote(a.Since) + " is not a duration; want one such as 90m, 24h or 7d"}
	}
	q.Since = now.Add(-ago)
	return q, nil
}

// parseAgo parses a duration, which may be given in days.
func parseAgo(text string) (time.Duration, error) {
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.ParseUint(days, 10, 15)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

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

// CostOf returns an amount as it goes over the wire.
func CostOf(c llm.Cost) Cost {
	return Cost{USD: usd(c.MicroUSD), UnknownPrice: c.Unpriced, Text: c.String()}
}

// String is the amount for people; nil is nothing spent.
func (c *Cost) String() string {
	if c == nil {
		return llm.Cost{}.String()
	}
	return c.Text
}

func usd(micro int64) float64 { return float64(micro) / 1e6 }

// CostsOf returns a report as it goes over the wire, with its sum.
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

// CostQuery is what the arguments ask for, at some moment. The error names the argument.
func CostQuery(a CostArgs, now time.Time) (spend.Query, error) {
	q := spend.Query{Run: a.RunID, By: spend.By(a.By)}
	if a.Since == "" {
		return q, nil
	}
	ago, err := parseAgo(a.Since)
	if err != nil || ago <= 0 {
		return q, &ArgumentError{Field: "since", Want: strconv.Quote(a.Since) + " is no length of time; want one such as 90m, 24h or 7d"}
	}
	q.Since = now.Add(-ago)
	return q, nil
}

// parseAgo reads a length of time, which may be in days.
func parseAgo(text string) (time.Duration, error) {
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.ParseUint(days, 10, 15)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

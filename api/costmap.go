package api

import (
	"strconv"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/spend"
)

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

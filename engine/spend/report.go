package spend

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"forge/engine/llm"
	"forge/internal/sqlite"
)

// By is what a report adds up by.
type By string

// The columns by which reports add up.
const (
	ByModel By = "model"
	ByRun   By = "run"
	ByDay   By = "day" // of UTC
	ByNode  By = "node"
)

// expressions are what rows are named by.
var expressions = map[By]string{
	ByModel: "provider || '/' || model", ByRun: "tree", ByNode: "node",
	ByDay: "strftime('%Y-%m-%d', begun / 1000000000, 'unixepoch')",
}

// Query selects what a report contains.
type Query struct {
	Run   string    // one tree of runs; empty is all
	Since time.Time // what was begun since; zero is everything
	By    By        // empty is ByModel
}

// Row is a line of a report.
type Row struct {
	Name     string
	Attempts int // that were made, and not turned down
	Tokens   int64
	Usage    llm.Usage // as far as providers reported it
	Cost     llm.Cost
	Held     int64 // tokens of attempts whose end is unknown: charged at their most
}

// Report adds up the costs, the highest row first; by day, the newest.
func (l *Ledger) Report(ctx context.Context, q Query) (rows []Row, err error) {
	q.By = cmp.Or(q.By, ByModel)
	name, known := expressions[q.By]
	if !known {
		return nil, fmt.Errorf("costs are listed by model, run, day or node, not by %q", q.By)
	}
	order := "money DESC, tokens DESC, name"
	if q.By == ByDay {
		order = "name DESC"
	}
	rows, err = sqlite.All(ctx, l.db.Read(), func(row sqlite.Row) (r Row, err error) {
		return r, row.Scan(&r.Name, &r.Attempts, &r.Tokens, &r.Usage.Input, &r.Usage.Output, &r.Usage.CacheRead, &r.Usage.CacheWrite,
			&r.Cost.MicroUSD, &r.Cost.Unpriced, &r.Held)
	}, `SELECT `+name+` AS name, count(*), coalesce(sum(tokens), 0) AS tokens,
		sum(input), sum(output), sum(cache_read), sum(cache_write),
		coalesce(sum(money) FILTER (WHERE NOT unpriced), 0) AS money, max(unpriced),
		coalesce(sum(tokens) FILTER (WHERE state = 'reserved'), 0)
		FROM attempts WHERE state <> 'free' AND (?1 = '' OR tree = ?1) AND begun >= ?2
		GROUP BY 1 ORDER BY `+order, q.Run, sqlite.Unix(q.Since))
	if err != nil {
		return nil, fmt.Errorf("add up what was spent: %w", l.db.Explain(err))
	}
	return rows, nil
}

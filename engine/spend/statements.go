package spend

import (
	"context"
	"database/sql"

	"forge/internal/sqlite"
)

// statements are those of each call of a model: to parse them took longer than to perform them. They are closed with the file.
type statements struct {
	allowed, spent              *sql.Stmt // of the handle that reads
	limits, sum, insert, settle *sql.Stmt // of the one that writes
}

const (
	selectLimits = "SELECT tokens, money FROM limits WHERE tree = ?"
	selectSum    = "SELECT coalesce(sum(tokens), 0), coalesce(sum(money), 0) FROM attempts WHERE tree = ?"

	insertAttempt = `INSERT INTO attempts
		(tree, run, folder, node, attempt, provider, model, key, batch, state, tokens, money, unpriced, begun)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`

	settleAnswered = `UPDATE attempts SET state = ?, ended = ?, tokens = ?, money = ?, unpriced = ?, input = ?, output = ?, cache_read = ?,
		cache_write = ? WHERE id = ? AND state = 'reserved'`

	selectSpent = `SELECT
	count(*) FILTER (WHERE state IN ('settled', 'lost')),
	coalesce(sum(tokens) FILTER (WHERE state IN ('settled', 'lost')), 0),
	coalesce(sum(money) FILTER (WHERE state IN ('settled', 'lost') AND NOT unpriced), 0),
	coalesce(max(unpriced) FILTER (WHERE state IN ('settled', 'lost')), 0),
	coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_write), 0),
	coalesce(sum(tokens) FILTER (WHERE open), 0),
	coalesce(sum(money) FILTER (WHERE open AND NOT unpriced), 0),
	coalesce(max(unpriced) FILTER (WHERE open), 0)
	FROM (SELECT *, state = 'reserved' AND NOT EXISTS (
		SELECT 1 FROM attempts later WHERE later.tree = a.tree AND later.key = a.key AND later.id > a.id AND later.state = 'settled'
	) AS open FROM attempts a WHERE tree = ?)`
)

func prepare(ctx context.Context, db *sqlite.DB) (s statements, err error) {
	for _, p := range []struct {
		into    **sql.Stmt
		prepare func(context.Context, string) (*sql.Stmt, error)
		query   string
	}{
		{&s.allowed, db.Read().PrepareContext, selectLimits}, {&s.spent, db.Read().PrepareContext, selectSpent},
		{&s.limits, db.Prepare, selectLimits}, {&s.sum, db.Prepare, selectSum}, {&s.insert, db.Prepare, insertAttempt},
		{&s.settle, db.Prepare, settleAnswered},
	} {
		if *p.into, err = p.prepare(ctx, p.query); err != nil { //nolint:sqlclosecheck // it is closed with the file
			return s, db.Explain(err)
		}
	}
	return s, nil
}

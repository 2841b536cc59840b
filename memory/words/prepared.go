package words

import (
	"context"
	"database/sql"
	"sync"

	"forge/internal/sqlite"
)

// Prepared keeps the statements of recall: to parse them again would take a third of its time.
type Prepared struct {
	db *sql.DB // of which they are statements; they end with it

	mu         sync.Mutex // guards statements
	statements map[string]*sql.Stmt
}

// Prepare returns an empty collection of the statements of a database.
func Prepare(db *sql.DB) *Prepared {
	return &Prepared{db: db, statements: map[string]*sql.Stmt{}}
}

// In is a transaction that answers with these statements.
func (p *Prepared) In(tx *sql.Tx) sqlite.Source { return within{p, tx} }

// statement returns the statement of a query. Of two that make it at once, one is dropped.
func (p *Prepared) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.Lock()
	known := p.statements[query]
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	made, err := p.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	first := p.statements[query]
	if first == nil {
		p.statements[query] = made
	}
	p.mu.Unlock()
	if first != nil {
		defer func() { _ = made.Close() }() // it was never used
		return first, nil
	}
	return made, nil
}

// within is a transaction whose queries are prepared ones. The texts of these queries are few.
type within struct {
	*Prepared
	tx *sql.Tx
}

// QueryContext performs a query in the transaction.
func (w within) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := w.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return w.tx.StmtContext(ctx, statement).QueryContext(ctx, args...) //nolint:sqlclosecheck // it is closed with the transaction
}

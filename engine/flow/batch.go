package flow

import (
	"context"
	"database/sql"
	"sync"

	"forge/internal/sqlite"
)

// batch commits concurrent writes in one transaction, so that they share the wait for the disk.
type batch struct {
	db   *sqlite.DB
	turn chan struct{} // holds one token: its owner commits what is pending

	mu      sync.Mutex // guards pending
	pending []*pendingChange
}

// change is a statement. It is applied whole or not at all, also among others in one transaction.
type change struct {
	statement *sql.Stmt
	args      []any
	lasting   bool // it waits for the disk
}

type pendingChange struct {
	change
	rows  int64 // changed by the statement
	err   error
	ended chan struct{} // closed when rows and err are set
}

// do makes a change. It returns the number of changed rows once the change is committed.
func (b *batch) do(ctx context.Context, c change) (rows int64, err error) {
	mine := &pendingChange{change: c, ended: make(chan struct{})}
	b.mu.Lock()
	b.pending = append(b.pending, mine)
	b.mu.Unlock()
	select {
	case <-mine.ended:
	case b.turn <- struct{}{}:
		b.commit(context.WithoutCancel(ctx), b.take()) // others wait for this commit: the end of one context must not stop it
		<-b.turn
	}
	<-mine.ended
	return mine.rows, mine.err
}

func (b *batch) take() []*pendingChange {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.pending
	b.pending = nil
	return all
}

// commit makes all changes in one transaction. If that fails, or there is only one change, each gets its own.
func (b *batch) commit(ctx context.Context, all []*pendingChange) {
	if len(all) == 1 || b.together(ctx, all) != nil {
		for _, c := range all {
			c.rows, c.err = b.db.Exec(ctx, c.lasting, c.statement, c.args...)
		}
	}
	for _, c := range all {
		close(c.ended)
	}
}

func (b *batch) together(ctx context.Context, all []*pendingChange) error {
	write := b.db.WriteRelaxed
	for _, c := range all {
		if c.lasting {
			write = b.db.Write
		}
	}
	return write(ctx, func(tx *sql.Tx) error {
		for _, c := range all {
			in := tx.StmtContext(ctx, c.statement) //nolint:sqlclosecheck // closed with the transaction
			result, err := in.ExecContext(ctx, c.args...)
			if err != nil {
				return err
			}
			if c.rows, err = result.RowsAffected(); err != nil {
				return err
			}
		}
		return nil
	})
}

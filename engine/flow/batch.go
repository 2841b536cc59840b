package flow

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"forge/internal/sqlite"
)

// batch commits what several write at the same time in one transaction: they share the wait for the disk.
type batch struct {
	db   *sqlite.DB
	turn chan struct{} // holds one: whoever puts it in commits what is pending

	mu      sync.Mutex // guards pending
	pending []*change
}

// change is a write of one statement, so that it happens whole or not at all among the others of its transaction.
type change struct {
	write   func(tx *sql.Tx) error
	lasting bool
	err     error         // how it ended
	ended   chan struct{} // closed then
}

// do writes, and returns when it is committed; write may be called again in another transaction if that of all was
// rolled back. lasting: it waits for the disk.
func (b *batch) do(ctx context.Context, lasting bool, write func(tx *sql.Tx) error) error {
	mine := &change{write: write, lasting: lasting, ended: make(chan struct{})}
	b.mu.Lock()
	b.pending = append(b.pending, mine)
	b.mu.Unlock()
	select {
	case <-mine.ended:
	case b.turn <- struct{}{}:
		// The context of one must not end what others wait for.
		b.commit(context.WithoutCancel(ctx), b.take())
		<-b.turn
	}
	<-mine.ended
	return mine.err
}

func (b *batch) take() []*change {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.pending
	b.pending = nil
	return all
}

// commit writes all changes in one transaction, or each in its own if that fails.
func (b *batch) commit(ctx context.Context, all []*change) {
	if len(all) > 1 && b.together(ctx, all) != nil {
		for _, c := range all {
			_ = b.together(ctx, []*change{c}) // the error is the change's
		}
	} else if len(all) == 1 {
		_ = b.together(ctx, all)
	}
	for _, c := range all {
		close(c.ended)
	}
}

// together is one transaction. A change that is fenced wrote nothing, and does not stop the others.
func (b *batch) together(ctx context.Context, all []*change) error {
	write := b.db.WriteRelaxed
	for _, c := range all {
		if c.lasting {
			write = b.db.Write
		}
	}
	err := write(ctx, func(tx *sql.Tx) error {
		for _, c := range all {
			if c.err = c.write(tx); c.err != nil && !errors.Is(c.err, ErrFenced) {
				return c.err
			}
		}
		return nil
	})
	for _, c := range all {
		if err != nil {
			c.err = err
		}
	}
	return err
}

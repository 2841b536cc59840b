package memory

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// errNotReally takes back a transaction that was only to show what it would do.
var errNotReally = errors.New("nothing is collected")

// Collectable says what GC would remove and reduce now.
func (p *Project) Collectable(ctx context.Context, now time.Time) (Collected, error) {
	c, err := p.Store.Collectable(ctx, now)
	if err != nil {
		return c, err
	}
	global, err := p.Global.Collectable(ctx, now)
	return c.plus(global), err
}

// Collectable says what GC would remove and reduce now: it does it, and takes it back.
func (s *Store) Collectable(ctx context.Context, now time.Time) (c Collected, err error) {
	err = s.update(ctx, "look what can be collected", func(tx *sql.Tx) (err error) {
		trial := &Store{db: s.db, options: s.options, scope: s.scope, trial: tx}
		if c, err = trial.GC(ctx, now); err != nil {
			return err
		}
		return errNotReally
	})
	if errors.Is(err, errNotReally) {
		err = nil
	}
	return c, err
}

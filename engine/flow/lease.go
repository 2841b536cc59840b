package flow

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// Lease is the right to work on a run. It renews itself until End or Release, or until another process takes the run.
type Lease struct {
	store *Store
	run   Run // as it was when the lease was taken

	wake   chan struct{}      // requests a check for requests now
	cancel context.CancelFunc // ends the renewal
	gone   chan struct{}      // closed when the renewal has ended

	mu       sync.Mutex // guards the fields below
	contexts map[*context.CancelCauseFunc]bool
	rows     rows  // of the journal
	err      error // why the lease has ended
	returned bool  // by End or Release
}

// lease starts the renewal of a right that was just taken.
func (s *Store) lease(ctx context.Context, r Run, journal rows) *Lease {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lease{
		store: s, run: r, wake: make(chan struct{}, 1), cancel: cancel, gone: make(chan struct{}),
		contexts: map[*context.CancelCauseFunc]bool{}, rows: journal,
	}
	s.mu.Lock()
	s.leases[r.ID] = l
	s.mu.Unlock()
	l.look()
	go l.keep(ctx) // Release and End wait for it
	return l
}

// Run returns the run as it was when the lease was taken.
func (l *Lease) Run() Run { return l.run }

// Context returns a context that also ends with the lease: its cause is then ErrCancelled,
// ErrFenced or ErrReleased. The caller must call cancel.
func (l *Lease) Context(ctx context.Context) (_ context.Context, cancel context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		end(l.err)
		return ctx, func() {}
	}
	l.contexts[&end] = true
	return ctx, func() {
		l.mu.Lock()
		delete(l.contexts, &end)
		l.mu.Unlock()
		end(nil)
	}
}

// Err returns why the lease has ended, or nil.
func (l *Lease) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// stop ends the contexts of the lease. Only the first reason counts.
func (l *Lease) stop(why error) {
	l.mu.Lock()
	var ended map[*context.CancelCauseFunc]bool
	if l.err == nil {
		l.err, ended, l.contexts = why, l.contexts, nil
	}
	l.mu.Unlock()
	for end := range ended {
		(*end)(why)
	}
}

// look makes the renewal check for a request now.
func (l *Lease) look() {
	select {
	case l.wake <- struct{}{}:
	default: // it is about to
	}
}

// keep renews the lease and looks for requests.
func (l *Lease) keep(ctx context.Context) {
	defer close(l.gone)
	looks, renewals := time.NewTicker(lookEvery), time.NewTicker(renewEvery)
	defer looks.Stop()
	defer renewals.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			l.pollRequests(ctx)
		case <-looks.C:
			l.pollRequests(ctx)
		case <-renewals.C:
			l.renew(ctx)
		}
	}
}

// pollRequests ends the lease if the user requested it, or another process has taken the run. A failed read is retried later.
func (l *Lease) pollRequests(ctx context.Context) {
	var fence int64
	var asked Request
	err := l.store.db.Read().QueryRowContext(ctx, "SELECT fence, requested FROM runs WHERE id = ?", l.run.ID).Scan(&fence, &asked)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && fence != l.run.fence:
		l.stop(ErrFenced)
	case err == nil && asked == RequestCancel:
		l.stop(ErrCancelled)
	}
}

// renew writes a heartbeat. If the write fails, another process may take over the run, which pollRequests notices.
func (l *Lease) renew(ctx context.Context) {
	_ = l.store.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET heartbeat = ? WHERE id = ? AND fence = ?",
			sqlite.Unix(l.store.now()), l.run.ID, l.run.fence)
		return err
	})
}

// Summarize replaces the JSON document that lists show of the run. A power loss may take back the last ones.
func (l *Lease) Summarize(ctx context.Context, summary json.RawMessage) error {
	err := l.store.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET summary = ? WHERE id = ? AND fence = ?", string(summary), l.run.ID, l.run.fence)
		return err
	})
	if err != nil {
		return fmt.Errorf("summarize run %s: %w", l.run.ID, err)
	}
	return nil
}

// Summarize is Lease.Summarize for a run that no process works on, such as one of an older version of Forge that has no summary.
func (s *Store) Summarize(ctx context.Context, id string, summary json.RawMessage) error {
	err := s.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET summary = ? WHERE id = ? AND state <> ?", string(summary), id, Running)
		return err
	})
	if err != nil {
		return fmt.Errorf("summarize run %s: %w", id, err)
	}
	return nil
}

// End records the result of the run: any state but Running. It gives the lease back, even if it fails; the
// run is then interrupted. It is journaled even if ctx has ended.
func (l *Lease) End(ctx context.Context, state State, reason string, result json.RawMessage) error {
	if state != Done && state != Failed && state != Cancelled {
		return fmt.Errorf("end run %s: %q is no final state of a run", l.run.ID, state)
	}
	sealed, err := l.store.vault.Seal(l.run.ID, result)
	if err != nil {
		return errors.Join(fmt.Errorf("end run %s: %w", l.run.ID, err), l.Release(ctx))
	}
	failpoint.Hit(FailEnd)
	err = l.giveBack(ctx, `UPDATE runs SET state = ?, reason = ?, result = ?, ended = ?, host = '', pid = 0, born = '',
		requested = '' WHERE id = ? AND fence = ? AND state = 'running'`, state, reason, blob(sealed), sqlite.Unix(l.store.now()))
	if err != nil {
		return fmt.Errorf("end run %s: %w", l.run.ID, err)
	}
	failpoint.Hit(FailEnded)
	return nil
}

// Release gives the lease back and leaves the run as it is: interrupted. It does nothing after End or a first Release.
func (l *Lease) Release(ctx context.Context) error {
	err := l.giveBack(ctx, "UPDATE runs SET host = '', pid = 0, born = '' WHERE id = ? AND fence = ? AND state = 'running'")
	if err != nil && !errors.Is(err, ErrFenced) && !errors.Is(err, ErrReleased) {
		return fmt.Errorf("release run %s: %w", l.run.ID, err)
	}
	return nil
}

// giveBack ends the lease with a statement whose last parameters are the run and the fence.
func (l *Lease) giveBack(ctx context.Context, statement string, args ...any) error {
	l.mu.Lock()
	again := l.returned
	l.returned = true
	l.mu.Unlock()
	if again {
		return ErrReleased
	}
	l.stop(ErrReleased)
	l.cancel()
	<-l.gone
	l.store.drop(l)
	ctx = context.WithoutCancel(ctx)
	return l.store.db.Write(ctx, func(tx *sql.Tx) error {
		n, err := affected(tx.ExecContext(ctx, statement, append(args, l.run.ID, l.run.fence)...))
		if err == nil && n == 0 {
			err = ErrFenced
		}
		return err
	})
}

// drop forgets a lease that was given back.
func (s *Store) drop(l *Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases[l.run.ID] == l {
		delete(s.leases, l.run.ID)
	}
}

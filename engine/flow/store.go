package flow

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// Options of a store.
type Options struct {
	Owner Owner             // works on runs that are begun or claimed; the zero value is this process
	Now   func() time.Time  // nil: time.Now
	Note  func(text string) // receives notices for the user, such as a damaged file that was put aside; nil drops them
	// Vault keeps what must not be in the file: inputs and results of runs and outputs of steps pass through it in
	// both directions. Nil keeps nothing elsewhere.
	Vault Vault
}

// Vault removes secrets from a document of a run, and puts them back. Unseal reverses Seal. The sealed document is
// journaled, and can be unsealed for as long as the run is kept.
type Vault interface {
	Seal(run string, document json.RawMessage) (json.RawMessage, error)
	Unseal(run string, document json.RawMessage) (json.RawMessage, error)
}

// openVault is the vault that keeps nothing.
type openVault struct{}

func (openVault) Seal(_ string, document json.RawMessage) (json.RawMessage, error) {
	return document, nil
}
func (openVault) Unseal(_ string, document json.RawMessage) (json.RawMessage, error) {
	return document, nil
}

// Store keeps runs and their journals in one file. It is safe for concurrent use, and several processes may open the same file.
type Store struct {
	db    *sqlite.DB
	owner Owner
	now   func() time.Time
	vault Vault
	write batch

	statements statements

	mu     sync.Mutex        // guards leases
	leases map[string]*Lease // by run
}

// OpenStore opens the file, and creates it if it is missing. Its errors are those of sqlite.Open.
func OpenStore(ctx context.Context, path string, o Options) (*Store, error) {
	if o.Owner == (Owner{}) {
		o.Owner = ThisProcess()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Vault == nil {
		o.Vault = openVault{}
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Migrations: migrations, Full: true, Now: o.Now, Note: o.Note})
	if err != nil {
		return nil, err
	}
	prepared, err := prepare(ctx, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{
		statements: prepared,
		db:         db, owner: o.Owner, now: o.Now, vault: o.Vault, leases: map[string]*Lease{}, write: batch{db: db, turn: make(chan struct{}, 1)},
	}, nil
}

// Close closes the file. It releases all leases.
func (s *Store) Close() error {
	var all []error
	for _, l := range s.held() {
		all = append(all, l.Release(context.Background()))
	}
	return errors.Join(append(all, s.db.Close())...)
}

func (s *Store) held() []*Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.leases))
}

// Begin creates a run and takes its lease. The error is ErrExists if its id is taken.
func (s *Store) Begin(ctx context.Context, n NewRun) (*Lease, error) {
	now := s.now()
	r := Run{
		ID: n.ID, Kind: n.Kind, Folder: n.Folder, Title: n.Title, Input: append(json.RawMessage{}, compact(n.Input)...), Base: n.Base,
		State: Running, Started: now, Owner: s.owner, Heartbeat: now, fence: 1,
	}
	sealed := r
	var err error
	if sealed.Input, err = s.vault.Seal(r.ID, r.Input); err != nil {
		return nil, fmt.Errorf("begin run %s: %w", n.ID, err)
	}
	failpoint.Hit(FailBegin)
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		inserted, err := affected(tx.ExecContext(ctx, `INSERT INTO runs
			(id, kind, folder, title, input, base, started, sum, host, pid, born, heartbeat)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
			r.ID, r.Kind, r.Folder, r.Title, []byte(sealed.Input), r.Base, sqlite.Unix(r.Started), sealed.sum(),
			r.Owner.Host, r.Owner.PID, r.Owner.Born, sqlite.Unix(now)))
		if err == nil && inserted == 0 {
			err = ErrExists
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("begin run %s: %w", n.ID, err)
	}
	failpoint.Hit(FailBegun)
	return s.lease(ctx, r, rows{seq: map[place]int64{}}), nil
}

// Claim takes over a run that no living process works on: Running with a dead owner, Failed or Cancelled.
// It fails with ErrNoRun, ErrHeld or ErrEnded. Of several concurrent claims one succeeds. A request to cancel that
// the dead owner has not handled passes to the new one.
func (s *Store) Claim(ctx context.Context, id string) (*Lease, error) {
	var r Run
	var begun rows
	failpoint.Hit(FailClaim)
	err := s.db.Write(ctx, func(tx *sql.Tx) (err error) {
		if r, err = s.readRun(ctx, tx, id); err == nil {
			r, err = s.unsealed(r)
		}
		if err != nil {
			return err
		}
		if r.State == Done {
			return ErrEnded
		}
		if r.State == Running && !r.Interrupted {
			return ErrHeld
		}
		if begun, err = readRows(ctx, tx, id); err != nil {
			return err
		}
		r.take(s.owner, s.now())
		_, err = tx.ExecContext(ctx, `UPDATE runs SET state = ?, reason = '', result = NULL, ended = 0,
			host = ?, pid = ?, born = ?, fence = ?, heartbeat = ?, requested = ? WHERE id = ?`,
			r.State, r.Owner.Host, r.Owner.PID, r.Owner.Born, r.fence, sqlite.Unix(r.Heartbeat), r.Requested, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("take over run %s: %w", id, err)
	}
	failpoint.Hit(FailClaimed)
	return s.lease(ctx, r, begun), nil
}

// take makes a process the owner of the run.
func (r *Run) take(by Owner, at time.Time) {
	if r.State != Running {
		r.Requested = RequestNone
	}
	r.State, r.Reason, r.Result, r.Ended, r.Interrupted = Running, "", nil, time.Time{}, false
	r.Owner, r.Heartbeat = by, at
	r.fence++
}

// Cancel asks the process that works on a run to cancel it, which that process sees within a second. If no living process does, the run
// is Cancelled at once. The error is ErrEnded if it has ended.
func (s *Store) Cancel(ctx context.Context, id string) error {
	failpoint.Hit(FailRequest)
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		r, err := s.readRun(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case r.State != Running:
			return ErrEnded
		case !r.Interrupted:
			_, err = tx.ExecContext(ctx, "UPDATE runs SET requested = ? WHERE id = ?", RequestCancel, id)
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE runs SET state = ?, ended = ?, host = '', pid = 0, born = '', requested = '',
			fence = fence + 1 WHERE id = ?`, Cancelled, sqlite.Unix(s.now()), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("cancel run %s: %w", id, err)
	}
	failpoint.Hit(FailRequested)
	s.mu.Lock()
	l := s.leases[id]
	s.mu.Unlock()
	if l != nil {
		l.look()
	}
	return nil
}

// Forget discards the failures of a node, from an attempt on; of every node, if node is empty. When the run is
// claimed and replayed, those steps are performed again with another key. Successful steps stay, unless they came
// after a forgotten failure and now have another input. Nothing is deleted. It returns the number of discarded
// failures. The error is ErrHeld if another process works on the run.
func (s *Store) Forget(ctx context.Context, id, node string, fromAttempt int) (n int, err error) {
	failpoint.Hit(FailForget)
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		r, err := s.readRun(ctx, tx, id)
		if err != nil {
			return err
		}
		if r.State == Running && !r.Interrupted && r.Owner != s.owner {
			return ErrHeld
		}
		n, err = forget(ctx, tx, id, node, fromAttempt, s.now())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("forget failures of run %s: %w", id, err)
	}
	failpoint.Hit(FailForgotten)
	return n, nil
}

func forget(ctx context.Context, tx *sql.Tx, run, node string, fromAttempt int, at time.Time) (int, error) {
	const which = "run = ?1 AND failure IS NOT NULL AND forgotten = 0 AND (?2 = '' OR node = ?2) AND attempt >= ?3"
	added, err := tx.ExecContext(ctx, `INSERT INTO forgets (run, at, first, last)
		SELECT ?1, ?4, min(seq), (SELECT max(seq) FROM steps WHERE run = ?1) FROM steps WHERE `+which+" HAVING count(*) > 0",
		run, node, fromAttempt, sqlite.Unix(at))
	if n, err := affected(added, err); err != nil || n == 0 {
		return 0, err
	}
	forgets, err := added.LastInsertId()
	if err != nil {
		return 0, err
	}
	return affected(tx.ExecContext(ctx, "UPDATE steps SET forgotten = ?4 WHERE "+which, run, node, fromAttempt, forgets))
}

// affected returns the number of rows that a statement has changed.
func affected(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

var (
	//go:embed schema/1_runs.sql
	schemaRuns string
	//go:embed schema/2_summary.sql
	schemaSummary string
)

// migrations create the tables of a store. Times are Unix times in nanoseconds, 0 if unset.
var migrations = []sqlite.Migration{{Version: 1, SQL: schemaRuns}, {Version: 2, SQL: schemaSummary}}

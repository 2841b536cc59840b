package flow

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"sync"

	"forge/internal/sqlite"
)

// stepColumns are the columns that scanStep reads.
const stepColumns = `seq, run, node, attempt, name, generation, kind, activity, input_hash, key, started,
	starts, ended, output, failure, sum, forgotten`

// scanStep reads a step, and unseals what the vault keeps of it.
func (s *Store) scanStep(row sqlite.Row) (Step, error) {
	step, err := scanStep(row)
	if err != nil || step.Output == nil {
		return step, err
	}
	if step.Output, err = s.vault.Unseal(step.Run, step.Output); err != nil {
		return Step{}, fmt.Errorf("step %s of %s, attempt %d: %w", step.Name, step.Node, step.Attempt, err)
	}
	return step, nil
}

func scanStep(row sqlite.Row) (s Step, err error) {
	var started, ended, sum, forgotten int64
	var output []byte
	var failure sql.NullString
	err = row.Scan(&s.Seq, &s.Run, &s.Node, &s.Attempt, &s.Name, &s.Generation, &s.Kind, &s.Do, &s.InputHash, &s.Key,
		&started, &s.Starts, &ended, &output, &failure, &sum, &forgotten)
	if err != nil {
		return Step{}, err
	}
	s.Started, s.Ended = sqlite.Time(started), sqlite.Time(ended)
	s.Output, s.Forgotten = output, forgotten != 0
	if failure.Valid {
		s.Failure = &Failure{}
		err = json.Unmarshal([]byte(failure.String), s.Failure)
	}
	if err != nil || s.Finished() && s.sum(failure.String) != sum {
		return Step{}, fmt.Errorf("step %s of %s, attempt %d: %w", s.Name, s.Node, s.Attempt, ErrDamaged)
	}
	return s, nil
}

// sum covers everything that a replay relies on.
func (s Step) sum(failure string) int64 {
	return checksum(s.Run, s.Node, fmt.Sprint(s.Attempt), s.Name, fmt.Sprint(s.Generation), string(s.Kind), s.Do,
		s.InputHash, s.Key, string(s.Output), failure)
}

var table = crc64.MakeTable(crc64.ECMA)

// checksum detects flipped bits. Moving bytes from one part to the next changes it, too.
func checksum(parts ...string) int64 {
	sum := crc64.New(table)
	for _, part := range parts {
		fmt.Fprintf(sum, "%d\n%s", len(part), part)
	}
	return int64(sum.Sum64()) //nolint:gosec // the bits count, not the sign
}

func (l *Lease) newest(ctx context.Context, node string, attempt int, name string) (Step, bool, error) {
	seq, known := l.seq(place{node, attempt, name})
	if !known { // only the owner of the lease begins steps
		return Step{}, false, nil
	}
	db := l.store.db
	s, err := l.store.scanStep(db.Read().QueryRowContext(ctx, "SELECT "+stepColumns+" FROM steps WHERE run = ? AND seq = ?", l.run.ID, seq))
	if errors.Is(err, sql.ErrNoRows) { // the write of its start failed
		return Step{}, false, nil
	}
	return s, err == nil, db.Explain(err)
}

// rows are the places in the journal of each step's newest generation.
type rows struct {
	seq  map[place]int64
	last int64
}

func (l *Lease) seq(p place) (seq int64, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seq, known = l.rows.seq[p]
	return seq, known
}

// next returns the place in the journal of a step that is about to begin.
func (l *Lease) next(p place) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows.last++
	l.rows.seq[p] = l.rows.last
	return l.rows.last
}

// readRows reads the places of a run's steps.
func readRows(ctx context.Context, in sqlite.RowSource, run string) (rows, error) {
	found := rows{seq: map[place]int64{}}
	_, err := sqlite.All(ctx, in, func(row sqlite.Row) (p place, err error) {
		err = row.Scan(&found.last, &p.node, &p.attempt, &p.name)
		found.seq[p] = found.last
		return p, err
	}, "SELECT seq, node, attempt, name FROM steps WHERE run = ? ORDER BY seq", run)
	return found, err
}

func (l *Lease) retried(ctx context.Context, s Step) (is bool, err error) {
	db := l.store.db
	err = db.Read().QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM forgets WHERE run = ? AND first < ? AND last >= ?)",
		l.run.ID, s.Seq, s.Seq).Scan(&is)
	return is, db.Explain(err)
}

// statements are the writes of a journal. Each changes one row if the lease still owns the run: the last two parameters
// are the run and the fence.
type statements struct{ insert, again, finish *sql.Stmt }

const (
	owned = "EXISTS (SELECT 1 FROM runs WHERE id = ? AND fence = ? AND state = 'running')"

	insertStep = `INSERT INTO steps (run, seq, node, attempt, name, generation, kind, activity, input_hash, key,
		started, ended, output, failure, sum) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ` + owned
	againStep  = "UPDATE steps SET starts = starts + 1 WHERE run = ? AND seq = ? AND " + owned
	finishStep = "UPDATE steps SET ended = ?, output = ?, failure = ?, sum = ? WHERE run = ? AND seq = ? AND " + owned
)

func prepare(ctx context.Context, db *sqlite.DB) (s statements, err error) {
	for _, p := range []struct {
		into  **sql.Stmt
		query string
	}{{&s.insert, insertStep}, {&s.again, againStep}, {&s.finish, finishStep}} {
		if *p.into, err = db.Prepare(ctx, p.query); err != nil { //nolint:sqlclosecheck // closed with the file
			return s, err
		}
	}
	return s, nil
}

func (l *Lease) begin(ctx context.Context, s Step, lasting bool) error {
	if s.Seq != 0 { // another process has begun it
		return l.append(ctx, lasting, l.store.statements.again, s.Run, s.Seq)
	}
	failure, err := s.failure()
	if err != nil {
		return err
	}
	var sum int64
	if s.Finished() {
		if s.Output, err = l.store.vault.Seal(s.Run, s.Output); err != nil {
			return err
		}
		sum = s.sum(failure.String)
	}
	return l.append(ctx, lasting, l.store.statements.insert,
		s.Run, l.next(s.place()), s.Node, s.Attempt, s.Name, s.Generation, s.Kind, s.Do, s.InputHash, s.Key,
		sqlite.Unix(s.Started), sqlite.Unix(s.Ended), blob(s.Output), failure, sum)
}

func (l *Lease) finish(ctx context.Context, s Step, lasting bool) (err error) {
	if s.Output, err = l.store.vault.Seal(s.Run, s.Output); err != nil {
		return err
	}
	failure, err := s.failure()
	if err != nil {
		return err
	}
	seq, _ := l.seq(s.place()) // it was begun
	return l.append(ctx, lasting, l.store.statements.finish,
		sqlite.Unix(s.Ended), blob(s.Output), failure, s.sum(failure.String), s.Run, seq)
}

func (s Step) place() place { return place{s.Node, s.Attempt, s.Name} }

func (s Step) failure() (sql.NullString, error) {
	if s.Failure == nil {
		return sql.NullString{}, nil
	}
	text, err := json.Marshal(s.Failure)
	return sql.NullString{String: string(text), Valid: true}, err
}

// append executes one of the statements. A cancelled context does not interrupt it: others may be in the same transaction.
func (l *Lease) append(ctx context.Context, lasting bool, statement *sql.Stmt, args ...any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	rows, err := l.store.write.do(ctx, change{statement: statement, args: append(args, l.run.ID, l.run.fence), lasting: lasting})
	if err == nil && rows == 0 {
		l.stop(ErrFenced)
		err = ErrFenced
	}
	return err
}

// blob is JSON as the tables store it: NULL if empty.
func blob(j json.RawMessage) any {
	if j == nil {
		return nil
	}
	return []byte(j)
}

// ErrNotJournaled means that a journal does not have a step that the code of a run asks for, or has it with another input.
var ErrNotJournaled = errors.New("it is not in the journal")

// Replay replays a run from the steps of its journal: each returns its journaled result. Nothing is performed or kept; a missing
// step is ErrNotJournaled. seen receives each call that was begun with the same input, finished or not, and may be called
// concurrently.
func Replay(run string, steps []Step, seen func(Call, Step)) Flow {
	r := &replay{run: run, steps: map[place]Step{}, seen: seen}
	for _, s := range steps { // in the order of their start: the newest generation of each stays
		r.steps[s.place()] = s
	}
	return r
}

type replay struct {
	run   string
	steps map[place]Step
	seen  func(Call, Step)
}

func (r *replay) RunID() string { return r.run }

func (r *replay) Do(_ context.Context, c Call) (json.RawMessage, error) { return r.step(KindDo, c) }

func (r *replay) Wait(_ context.Context, c Call) (json.RawMessage, error) { return r.step(KindWait, c) }

func (r *replay) step(kind Kind, c Call) (json.RawMessage, error) {
	s, begun := r.steps[place{c.Node, c.Attempt, c.Name}]
	if !begun || s.InputHash != inputHash(kind, c) {
		return nil, fmt.Errorf("step %s of %s, attempt %d: %w", c.Name, c.Node, c.Attempt, ErrNotJournaled)
	}
	r.seen(c, s)
	if !s.Finished() || s.Forgotten {
		return nil, fmt.Errorf("the result of step %s of %s, attempt %d: %w", c.Name, c.Node, c.Attempt, ErrNotJournaled)
	}
	return s.result()
}

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

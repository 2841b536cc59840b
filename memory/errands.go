package memory

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"forge/internal/lazyregexp"
	"forge/internal/sqlite"
)

// ErrandStatus is how far an errand is.
type ErrandStatus string

// The statuses. An errand of a process that was killed stays ErrandRunning until the run is resumed.
const (
	ErrandRunning ErrandStatus = "running"
	ErrandDone    ErrandStatus = "done"
	ErrandFailed  ErrandStatus = "failed"
)

// Errand is what a run had one of its agents do: a question that it delegated, or a failure to find the cause of.
type Errand struct {
	ID     string // "sub_" and twelve hexadecimal digits; the same each time the run is replayed
	TaskID ID     // the user's task that the run works on; may be empty
	Agent  string
	Task   string // what the agent was asked
	// Context names what the agent was shown at the beginning, one section per line.
	Context string
	// Rounds and ReplyTokens are its budget: answers, and tokens of each.
	Rounds, ReplyTokens int

	Status  ErrandStatus
	Summary string // what it found out
	Failure string // why it failed
	Tokens  int    // of all its requests and answers
	Source  Source // Source.Run and Source.Node say whose errand it is

	Began, Ended time.Time // Ended is zero while it runs
}

const errandColumns = "run_id, task_id, agent_type, task, context, rounds, reply_tokens, status, output_summary, failure_reason, tokens, created_at, finished_at, " + sourceColumns

func scanErrand(row sqlite.Row) (Errand, error) {
	var e Errand
	err := row.Scan(append([]any{
		&e.ID, &e.TaskID, &e.Agent, &e.Task, &e.Context, &e.Rounds, &e.ReplyTokens, &e.Status, &e.Summary, &e.Failure, &e.Tokens, moment{&e.Began}, moment{&e.Ended},
	}, e.Source.scan()...)...)
	return e, err
}

var errandIDs = lazyregexp.New(`^sub_[0-9a-f]{12}$`)

// BeginErrand keeps that an errand has begun. An errand that a resumed run begins again keeps its first beginning.
func (p *Project) BeginErrand(ctx context.Context, e Errand) error {
	if !errandIDs.MatchString(e.ID) || e.Agent == "" || e.Source.Run == "" || e.Source.Node == "" {
		return fmt.Errorf("%w: an errand has an id like sub_0123456789ab, an agent, a run and a node", ErrInvalid)
	}
	if err := e.Source.check(); err != nil {
		return err
	}
	return p.update(ctx, "keep the errand "+e.ID, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO subagent_runs (`+errandColumns+`) VALUES (`+sqlite.Marks(18)+`)
			ON CONFLICT (run_id) DO UPDATE SET status = excluded.status, finished_at = '', output_summary = '', failure_reason = ''`,
			values(e.ID, string(e.TaskID), e.Agent, e.Task, e.Context, e.Rounds, e.ReplyTokens, string(ErrandRunning), "", "", 0, stamp(p.now()), "", e.Source.args())...)
		return err
	})
}

// EndErrand keeps how an errand has ended: its Status, Summary, Failure and Tokens. The error matches ErrNotFound if it never began.
func (p *Project) EndErrand(ctx context.Context, e Errand) error {
	if e.Status != ErrandDone && e.Status != ErrandFailed {
		return fmt.Errorf("%w: an errand ends as done or failed, not as %q", ErrInvalid, e.Status)
	}
	return p.update(ctx, "keep the end of the errand "+e.ID, func(tx *sql.Tx) error {
		return changeOne(ctx, tx, "errand "+e.ID, `UPDATE subagent_runs SET status = ?, output_summary = ?, failure_reason = ?, tokens = ?, finished_at = ? WHERE run_id = ?`,
			string(e.Status), e.Summary, e.Failure, e.Tokens, stamp(p.now()), e.ID)
	})
}

// changeOne performs a statement that must change a row; the error matches ErrNotFound if there is none.
func changeOne(ctx context.Context, tx *sql.Tx, what, statement string, args ...any) error {
	done, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return err
}

// Errands returns the errands of a run, oldest first; of all runs, the newest first, if run is empty.
func (p *Project) Errands(ctx context.Context, run string) ([]Errand, error) {
	if run != "" {
		return list(ctx, p.Store, "list errands", scanErrand, `SELECT `+errandColumns+` FROM subagent_runs WHERE run = ? ORDER BY created_at, run_id`, run)
	}
	return list(ctx, p.Store, "list errands", scanErrand, `SELECT `+errandColumns+` FROM subagent_runs ORDER BY created_at DESC, run_id`)
}

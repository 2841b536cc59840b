package memory

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// SubagentStatus is where a subagent run stands.
type SubagentStatus string

// The statuses of a subagent run; done and failed are final.
const (
	SubagentRunning SubagentStatus = "running"
	SubagentDone    SubagentStatus = "done"
	SubagentFailed  SubagentStatus = "failed"
)

// SubagentRun is the life of one subagent.
type SubagentRun struct {
	ID            ID     // sub_ and twelve hexadecimal digits
	Task          string // what it works on
	Agent         string // its type: "executor"
	Status        SubagentStatus
	OutputSummary string
	FailureReason string
	Source        Source
	Created       time.Time
	Finished      time.Time // zero while it runs
}

const subagentColumns = "run_id, task_id, agent_type, status, output_summary, failure_reason, created_at, finished_at, " + sourceColumns

func scanSubagent(row scanner) (SubagentRun, error) {
	var r SubagentRun
	err := row.Scan(append([]any{&r.ID, &r.Task, &r.Agent, &r.Status, &r.OutputSummary, &r.FailureReason,
		moment{&r.Created}, moment{&r.Finished}}, r.Source.scan()...)...)
	return r, err
}

// StartSubagent records a subagent that begins, and gives it with its id.
func (p *Project) StartSubagent(ctx context.Context, task, agent string, source Source) (run SubagentRun, err error) {
	id, err := kindSubagent.draw(p.options.Random)
	if err != nil {
		return SubagentRun{}, err
	}
	err = p.update(ctx, "start a subagent", func(tx *sql.Tx) error {
		if err := source.check(); err != nil {
			return err
		}
		run, err = scanSubagent(tx.QueryRowContext(ctx, `INSERT INTO subagent_runs (run_id, task_id, agent_type, status, created_at, `+
			sourceColumns+`) VALUES (`+marks(10)+`) RETURNING `+subagentColumns,
			values(string(id), task, agent, string(SubagentRunning), stamp(p.now()), source.args())...))
		return err
	})
	return run, err
}

// FinishSubagent records how a subagent ended: with a summary, or with the reason why it failed. It is
// ErrExists for one that has ended already.
func (p *Project) FinishSubagent(ctx context.Context, id ID, status SubagentStatus, summary, reason string) error {
	if status != SubagentDone && status != SubagentFailed {
		return fmt.Errorf("finish subagent %s: %w: it ends done or failed, not %q", id, ErrInvalid, status)
	}
	return p.update(ctx, "finish subagent "+string(id), func(tx *sql.Tx) error {
		before, err := selectOne(ctx, tx, "it", scanSubagent, `SELECT `+subagentColumns+` FROM subagent_runs WHERE run_id = ?`, string(id))
		if err != nil {
			return err
		}
		if before.Status != SubagentRunning {
			return fmt.Errorf("%w: it has ended as %s", ErrExists, before.Status)
		}
		_, err = tx.ExecContext(ctx, `UPDATE subagent_runs SET status = ?, output_summary = ?, failure_reason = ?, finished_at = ?
			WHERE run_id = ?`, string(status), summary, reason, stamp(p.now()), string(id))
		return err
	})
}

// Subagents gives the subagent runs of a run, or of all where it is empty, in the order they began.
func (p *Project) Subagents(ctx context.Context, run string) (runs []SubagentRun, err error) {
	err = p.view(ctx, "list subagents", func(q querier) error {
		runs, err = selectAll(ctx, q, scanSubagent, `SELECT `+subagentColumns+` FROM subagent_runs
			WHERE ? = '' OR run = ? ORDER BY created_at, run_id`, run, run)
		return err
	})
	return runs, err
}

package memory

import (
	"context"
	"database/sql"
	"slices"

	"forge/internal/sqlite"
)

// AdvanceTask takes a task to a state by as many moves of the table as that needs, as few as possible, and notes each of
// them: a state that nothing needed is passed through. It is a *StateError where the table has no way, and for a task
// that is there already.
func (p *Project) AdvanceTask(ctx context.Context, id ID, to TaskState, source Source) (Task, error) {
	return p.walkTask(ctx, id, source, func(from TaskState) ([]TaskState, error) {
		if way := wayTo(from, to); way != nil {
			return way, nil
		}
		return nil, &StateError{Task: id, From: from, To: to}
	})
}

// wayTo is the shortest way through the table of moves, without its beginning; nil where there is none.
func wayTo(from, to TaskState) []TaskState {
	ways := [][]TaskState{{from}}
	seen := []TaskState{from}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		for _, next := range taskMoves[way[len(way)-1]] {
			if slices.Contains(seen, next) {
				continue
			}
			seen = append(seen, next)
			longer := append(slices.Clone(way), next)
			if next == to {
				return longer[1:]
			}
			ways = append(ways, longer)
		}
	}
	return nil
}

// walkTask moves a task along a way that plan gives, all of it or nothing. A run that the source names is noted as the
// one that works on the task.
func (p *Project) walkTask(ctx context.Context, id ID, source Source, plan func(from TaskState) (way []TaskState, err error)) (task Task, err error) {
	err = p.update(ctx, "move a task", func(tx *sql.Tx) error {
		if err := source.check(); err != nil {
			return err
		}
		if task, err = oneTask(ctx, tx, id); err != nil {
			return err
		}
		way, err := plan(task.State)
		if err != nil {
			return err
		}
		for _, to := range way {
			if task, err = p.stepTask(ctx, tx, task, to, source); err != nil {
				return err
			}
		}
		return nil
	})
	return task, err
}

func (p *Project) stepTask(ctx context.Context, tx *sql.Tx, t Task, to TaskState, source Source) (Task, error) {
	now := stamp(p.now())
	if _, err := tx.ExecContext(ctx, `INSERT INTO task_moves (task, was, became, created_at, `+sourceColumns+`) VALUES (`+sqlite.Marks(9)+`)`,
		values(string(t.ID), string(t.State), string(to), now, source.args())...); err != nil {
		return t, err
	}
	return scanTask(tx.QueryRowContext(ctx, `UPDATE tasks SET state = ?, updated_at = ?, run = CASE ? WHEN '' THEN run ELSE ? END
		WHERE id = ? RETURNING `+taskColumns, string(to), now, source.Run, source.Run, string(t.ID)))
}

// TaskOf gives the task that a run has, or has had: then the Run of its source is another one. The error matches
// ErrNotFound when there is none.
func (p *Project) TaskOf(ctx context.Context, run string) (task Task, err error) {
	err = p.view(ctx, "find the task of run "+run, func(q querier) error {
		task, err = selectOne(ctx, q, "the task of run "+run, scanTask, `SELECT `+taskColumns+` FROM tasks
			WHERE run = ? OR id IN (SELECT task FROM task_moves WHERE run = ?) ORDER BY updated_at DESC LIMIT 1`, run, run)
		return err
	})
	return task, err
}

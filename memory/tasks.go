package memory

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/internal/sqlite"
)

// Task is something that is to be done, from its first draft to its end.
type Task struct {
	ID     ID
	Title  string
	Prompt string
	State  TaskState
	Parent ID     // the task it was forked from
	Source Source // who made it; Source.Run is the run that works on it, once there is one

	Created, Updated time.Time
}

const taskColumns = "id, title, prompt, state, parent, created_at, updated_at, " + sourceColumns

func scanTask(row sqlite.Row) (Task, error) {
	var t Task
	err := row.Scan(append([]any{&t.ID, &t.Title, &t.Prompt, &t.State, &t.Parent, moment{&t.Created}, moment{&t.Updated}}, t.Source.scan()...)...)
	return t, err
}

// CreateTask makes a draft.
func (p *Project) CreateTask(ctx context.Context, title, prompt string, source Source) (task Task, err error) {
	err = p.update(ctx, "create a task", func(tx *sql.Tx) error {
		task, err = p.insertTask(ctx, tx, Task{Title: title, Prompt: prompt, Source: source})
		return err
	})
	return task, err
}

func (p *Project) insertTask(ctx context.Context, tx *sql.Tx, t Task) (Task, error) {
	if strings.TrimSpace(t.Title) == "" {
		return Task{}, fmt.Errorf("%w: a task needs a title", ErrInvalid)
	}
	if err := t.Source.check(); err != nil {
		return Task{}, err
	}
	id, err := kindTask.draw(p.options.Random)
	if err != nil {
		return Task{}, err
	}
	now := stamp(p.now())
	return scanTask(tx.QueryRowContext(ctx, `INSERT INTO tasks (`+taskColumns+`) VALUES (`+sqlite.Marks(12)+`) RETURNING `+taskColumns,
		values(string(id), t.Title, t.Prompt, string(TaskDraft), string(t.Parent), now, now, t.Source.args())...))
}

// Task returns one task.
func (p *Project) Task(ctx context.Context, id ID) (task Task, err error) {
	err = p.view(ctx, "read a task", func(q sqlite.RowSource) error {
		task, err = oneTask(ctx, q, id)
		return err
	})
	return task, err
}

func oneTask(ctx context.Context, q sqlite.RowSource, id ID) (Task, error) {
	if id == "" {
		return Task{}, fmt.Errorf("%w: the task id is missing", ErrInvalid)
	}
	return selectOne(ctx, q, "task "+string(id), scanTask, `SELECT `+taskColumns+` FROM tasks WHERE id = ?`, string(id))
}

// MoveTask changes the state of a task. It fails with a *StateError if the table of moves has no such move. If the source names a run, that run
// becomes the one that works on the task.
func (p *Project) MoveTask(ctx context.Context, id ID, to TaskState, source Source) (Task, error) {
	return p.moveTask(ctx, id, to, source, func(from TaskState) error { return checkMove(id, from, to) })
}

// ResumeTask sets a task that has ended, or is blocked, back to draft; no other move does. It is a
// *StateError for any other task.
func (p *Project) ResumeTask(ctx context.Context, id ID, source Source) (Task, error) {
	return p.moveTask(ctx, id, TaskDraft, source, func(from TaskState) error { return checkResume(id, from) })
}

func (p *Project) moveTask(ctx context.Context, id ID, to TaskState, source Source, check func(from TaskState) error) (Task, error) {
	return p.walkTask(ctx, id, source, func(from TaskState) ([]TaskState, error) { return []TaskState{to}, check(from) })
}

// ForkTask makes a new draft out of a task, which stays as it is.
func (p *Project) ForkTask(ctx context.Context, id ID, source Source) (fork Task, err error) {
	err = p.update(ctx, "fork a task", func(tx *sql.Tx) error {
		parent, err := oneTask(ctx, tx, id)
		if err != nil {
			return err
		}
		fork, err = p.insertTask(ctx, tx, Task{Title: parent.Title, Prompt: parent.Prompt, Parent: parent.ID, Source: source})
		return err
	})
	return fork, err
}

// TaskFilter chooses tasks; its zero value chooses all.
type TaskFilter struct {
	States []TaskState
	Text   string // in the title or the prompt, in any case of ASCII letters
	Limit  int    // 0: none
	// From and To choose the tasks that were made or moved in a period, its end excluded; zero is no bound.
	From, To time.Time
}

// Tasks returns tasks, the last changed first.
func (p *Project) Tasks(ctx context.Context, f TaskFilter) ([]Task, error) {
	var w sqlite.Where
	sqlite.In(&w, "state", f.States)
	if f.Text != "" {
		w.And(`(title LIKE ? ESCAPE '\' OR prompt LIKE ? ESCAPE '\')`, sqlite.LikeAny(f.Text), sqlite.LikeAny(f.Text))
	}
	if !f.From.IsZero() || !f.To.IsZero() {
		from, to := stamp(f.From), cmp.Or(stamp(f.To), "9999")
		w.And(`(created_at >= ? AND created_at < ? OR id IN (SELECT task FROM task_moves WHERE created_at >= ? AND created_at < ?))`, from, to, from, to)
	}
	return list(ctx, p.Store, "list tasks", scanTask, `SELECT `+taskColumns+` FROM tasks`+w.String()+` ORDER BY updated_at DESC, id LIMIT ?`,
		append(w.Args, limited(f.Limit))...)
}

// DeleteTask forgets a task and its moves. Tasks that were forked from it stay.
func (p *Project) DeleteTask(ctx context.Context, id ID) error {
	return p.update(ctx, "delete a task", func(tx *sql.Tx) error { return deleteTask(ctx, tx, id) })
}

func deleteTask(ctx context.Context, tx *sql.Tx, id ID) error {
	if err := deleteRow(ctx, tx, `DELETE FROM tasks WHERE id = ?`, string(id)); err != nil {
		return fmt.Errorf("task %s: %w", id, err)
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM task_moves WHERE task = ?`, string(id))
	return err
}

// TaskMove is one change of a task's state.
type TaskMove struct {
	From, To TaskState
	Source   Source
	At       time.Time
}

func scanMove(row sqlite.Row) (TaskMove, error) {
	var m TaskMove
	err := row.Scan(append([]any{&m.From, &m.To, moment{&m.At}}, m.Source.scan()...)...)
	return m, err
}

func movesOf(ctx context.Context, q sqlite.RowSource, id ID) ([]TaskMove, error) {
	return sqlite.All(ctx, q, scanMove, `SELECT was, became, created_at, `+sourceColumns+` FROM task_moves WHERE task = ? ORDER BY id`, string(id))
}

// TaskState is the state of a task.
type TaskState string

// The ten states. TaskCompleted, TaskFailed and TaskCancelled are terminal.
const (
	TaskDraft     TaskState = "draft"
	TaskPlanned   TaskState = "planned"
	TaskApproved  TaskState = "approved"
	TaskScheduled TaskState = "scheduled"
	TaskRunning   TaskState = "running"
	TaskVerifying TaskState = "verifying"
	TaskCompleted TaskState = "completed"
	TaskFailed    TaskState = "failed"
	TaskBlocked   TaskState = "blocked"
	TaskCancelled TaskState = "cancelled"
)

// TaskStates are all of them, in the order of a task that succeeds; then the other ends.
var TaskStates = []TaskState{
	TaskDraft, TaskPlanned, TaskApproved, TaskScheduled, TaskRunning, TaskVerifying, TaskCompleted, TaskFailed, TaskBlocked, TaskCancelled,
}

// taskMoves is the table of legal moves. The way back to draft is not in it: that is ResumeTask alone.
var taskMoves = map[TaskState][]TaskState{
	TaskDraft:     {TaskPlanned, TaskCancelled, TaskCompleted, TaskFailed}, // a conversation ends without a plan
	TaskPlanned:   {TaskApproved, TaskCancelled, TaskBlocked},
	TaskApproved:  {TaskScheduled, TaskCancelled},
	TaskScheduled: {TaskRunning, TaskCancelled, TaskBlocked},
	TaskRunning:   {TaskVerifying, TaskFailed, TaskBlocked, TaskCancelled},
	TaskVerifying: {TaskCompleted, TaskFailed, TaskRunning}, // the reviewer bounces
	TaskBlocked:   {TaskCancelled},
	TaskCompleted: {},
	TaskFailed:    {},
	TaskCancelled: {},
}

// terminal reports whether a task in the state has ended.
func (s TaskState) terminal() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// UnderWay reports whether a run is working on the task, or is going to.
func (s TaskState) UnderWay() bool { return s != TaskDraft && s != TaskBlocked && !s.terminal() }

// CodeStateInvalid is the code of a StateError, for programs.
const CodeStateInvalid = "state_invalid"

// StateError is a move of a task that its state does not allow.
type StateError struct {
	Task     ID
	From, To TaskState
}

func (e *StateError) Error() string {
	text := fmt.Sprintf("%s: task %s is %s and cannot become %s", CodeStateInvalid, e.Task, e.From, e.To)
	if e.To == TaskDraft {
		text += ", for only a task that has ended or is blocked can be resumed"
	}
	return text + ": " + e.From.possible()
}

// possible returns, for users, where a task can go from a state.
func (s TaskState) possible() string {
	if s.terminal() {
		return "it has ended, and only resuming it makes it a draft again"
	}
	var all []string
	for _, to := range taskMoves[s] {
		all = append(all, string(to))
	}
	if s == TaskBlocked {
		all = append(all, "draft when it is resumed")
	}
	return "from there it can become " + strings.Join(all, " or ")
}

// checkMove refuses a move that is not in the table.
func checkMove(task ID, from, to TaskState) error {
	if !slices.Contains(taskMoves[from], to) {
		return &StateError{Task: task, From: from, To: to}
	}
	return nil
}

// checkResume rejects a task that has neither ended nor is blocked.
func checkResume(task ID, from TaskState) error {
	if !from.terminal() && from != TaskBlocked {
		return &StateError{Task: task, From: from, To: TaskDraft}
	}
	return nil
}

// AdvanceTask moves a task to a state by the fewest moves of the table, and records each of them. It fails with a *StateError if the
// table has no way there, or if the task is in the state already.
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

// walkTask moves a task along the way that plan returns, all of it or nothing. A run that the source names is recorded
// as the one that works on the task.
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

// TaskOf returns the task that a run has, or has had: then the Run of its source is another one. The error matches
// ErrNotFound when there is none.
func (p *Project) TaskOf(ctx context.Context, run string) (task Task, err error) {
	err = p.view(ctx, "find the task of run "+run, func(q sqlite.RowSource) error {
		task, err = selectOne(ctx, q, "the task of run "+run, scanTask, `SELECT `+taskColumns+` FROM tasks
			WHERE run = ? OR id IN (SELECT task FROM task_moves WHERE run = ?) ORDER BY updated_at DESC LIMIT 1`, run, run)
		return err
	})
	return task, err
}

package memory

import (
	"context"
	"database/sql"
	"fmt"
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

// Task gives one task.
func (p *Project) Task(ctx context.Context, id ID) (task Task, err error) {
	err = p.view(ctx, "read a task", func(q querier) error {
		task, err = oneTask(ctx, q, id)
		return err
	})
	return task, err
}

func oneTask(ctx context.Context, q querier, id ID) (Task, error) {
	if id == "" {
		return Task{}, fmt.Errorf("%w: it is not said which task", ErrInvalid)
	}
	return selectOne(ctx, q, "task "+string(id), scanTask, `SELECT `+taskColumns+` FROM tasks WHERE id = ?`, string(id))
}

// MoveTask changes the state of a task. It is a *StateError where the table of moves has no such move. A run
// that the source names is noted as the one that works on the task.
func (p *Project) MoveTask(ctx context.Context, id ID, to TaskState, source Source) (Task, error) {
	return p.moveTask(ctx, id, to, source, func(from TaskState) error { return checkMove(id, from, to) })
}

// ResumeTask takes a task that has ended, or is blocked, back to draft: there is no other way there. It is a
// *StateError for any other task.
func (p *Project) ResumeTask(ctx context.Context, id ID, source Source) (Task, error) {
	return p.moveTask(ctx, id, TaskDraft, source, func(from TaskState) error { return checkResume(id, from) })
}

func (p *Project) moveTask(ctx context.Context, id ID, to TaskState, source Source, check func(from TaskState) error) (Task, error) {
	return p.walkTask(ctx, id, source, func(from TaskState) ([]TaskState, error) { return []TaskState{to}, check(from) })
}

// ForkTask makes a draft of its own out of a task, which stays as it is.
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
}

// Tasks gives tasks, the last changed first.
func (p *Project) Tasks(ctx context.Context, f TaskFilter) (tasks []Task, err error) {
	var w sqlite.Where
	sqlite.In(&w, "state", f.States)
	if f.Text != "" {
		w.And(`(title LIKE ? ESCAPE '\' OR prompt LIKE ? ESCAPE '\')`, likeAny(f.Text), likeAny(f.Text))
	}
	err = p.view(ctx, "list tasks", func(q querier) error {
		tasks, err = sqlite.All(ctx, q, scanTask, `SELECT `+taskColumns+` FROM tasks`+w.String()+` ORDER BY updated_at DESC, id LIMIT ?`,
			append(w.Args, limited(f.Limit))...)
		return err
	})
	return tasks, err
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

func movesOf(ctx context.Context, q querier, id ID) ([]TaskMove, error) {
	return sqlite.All(ctx, q, scanMove, `SELECT was, became, created_at, `+sourceColumns+` FROM task_moves WHERE task = ? ORDER BY id`, string(id))
}

package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/engine/event"
	"forge/memory"
)

// TaskInfo is a task of a folder, as users see it.
type TaskInfo struct {
	memory.Task
	// Stands is the state of the run of an active task; empty if the run is unknown.
	Stands event.State
	Moves  []memory.TaskMove // oldest first; only Engine.Task fills them
}

// Tasks lists the tasks of a folder, the last changed first. It starts no process.
func (n *Notes) Tasks(ctx context.Context, root string, f memory.TaskFilter) ([]TaskInfo, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return nil, err
	}
	tasks, err := m.Tasks(ctx, f)
	if err != nil {
		return nil, err
	}
	infos := make([]TaskInfo, len(tasks))
	for i, t := range tasks {
		run, err := n.runOf(ctx, t)
		if err != nil {
			return nil, err
		}
		infos[i] = TaskInfo{Task: t, Stands: run.State}
	}
	return infos, nil
}

// runOf returns the run of an active task; zero if there is none, or it is unknown.
func (n *Notes) runOf(ctx context.Context, t memory.Task) (Run, error) {
	if !t.State.UnderWay() {
		return Run{}, nil
	}
	run, err := n.options.Runs.Find(ctx, t.Source.Run)
	if errors.Is(err, ErrNoRun) {
		err = nil
	}
	return run, err
}

// Task returns one task, and its transitions. The error matches memory.ErrNotFound if there is none.
func (n *Notes) Task(ctx context.Context, root string, id memory.ID) (TaskInfo, error) {
	m, task, run, err := n.taskAndRun(ctx, root, id)
	if err != nil {
		return TaskInfo{}, err
	}
	why, err := m.Why(ctx, id)
	return TaskInfo{Task: task, Stands: run.State, Moves: why.Moves}, err
}

// taskAndRun reads a task, and the state of its run.
func (n *Notes) taskAndRun(ctx context.Context, root string, id memory.ID) (m *memory.Project, task memory.Task, run Run, err error) {
	if m, err = n.options.State.Memory(ctx, root); err == nil {
		task, err = m.Task(ctx, id)
	}
	if err == nil {
		run, err = n.runOf(ctx, task)
	}
	return m, task, run, err
}

// ResumeTask turns a task that has ended or is blocked into a draft, and returns a *memory.StateError for one
// that continues. A task whose run was interrupted or paused stays as it is: Resume then continues the named
// run.
func (n *Notes) ResumeTask(ctx context.Context, root string, id memory.ID) (task TaskInfo, run string, err error) {
	m, t, has, err := n.taskAndRun(ctx, root, id)
	switch {
	case err != nil:
		return TaskInfo{}, "", err
	case has.Resumable():
		return TaskInfo{Task: t, Stands: has.State}, has.ID, nil
	case t.State.UnderWay() && !has.Alive():
		// Its run has ended, and the process that worked on it could not record that.
		if _, err = m.AdvanceTask(ctx, id, memory.TaskCancelled, byUser); err != nil {
			return TaskInfo{}, "", err
		}
	}
	t, err = m.ResumeTask(ctx, id, byUser)
	return TaskInfo{Task: t}, "", err
}

// ForkTask copies a task to a new draft.
func (n *Notes) ForkTask(ctx context.Context, root string, id memory.ID) (TaskInfo, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return TaskInfo{}, err
	}
	fork, err := m.ForkTask(ctx, id, byUser)
	return TaskInfo{Task: fork}, err
}

// quietWithin is the time limit for stopping the run of a cancelled task.
const quietWithin = 10 * time.Second

// CancelTask cancels a task, and stops its run in any process. The error is a *memory.StateError for a task that has ended.
func (n *Notes) CancelTask(ctx context.Context, root string, id memory.ID) (TaskInfo, error) {
	m, _, run, err := n.taskAndRun(ctx, root, id)
	if err != nil {
		return TaskInfo{}, err
	}
	if run.ID != "" {
		if _, err := Stop(ctx, n.options.Runs, run.ID, quietWithin); err != nil {
			return TaskInfo{}, err
		}
		if task, err := m.Task(ctx, id); err != nil || task.State == memory.TaskCancelled {
			return TaskInfo{Task: task}, err
		}
	}
	task, err := m.AdvanceTask(ctx, id, memory.TaskCancelled, byUser)
	return TaskInfo{Task: task}, err
}

// DeleteTask deletes a task and its transitions. The error matches ErrWorkedOn while a run works on it.
func (n *Notes) DeleteTask(ctx context.Context, root string, id memory.ID) error {
	m, task, run, err := n.taskAndRun(ctx, root, id)
	if err != nil {
		return err
	}
	if run.Alive() {
		return fmt.Errorf("task %s is %s, and %w: cancel it before you delete it", id, task.State, ErrWorkedOn)
	}
	return m.DeleteTask(ctx, id)
}

package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/memory"
	"forge/patch"
)

// NotesOptions are the dependencies of Notes. All fields are required.
type NotesOptions struct {
	State   *state.State
	Secrets *secret.Redactor // replaced in stored texts
	Runs    Stoppable        // the runs that have tasks
	// Review reads the reviewer's last report from the run's result; nil if there was no review.
	Review func(result json.RawMessage) (*gate.Report, error)
}

// Notes are the notes of every folder. They keep no files open themselves.
type Notes struct{ options NotesOptions }

// NewNotes returns the notes in a state.
func NewNotes(o NotesOptions) *Notes { return &Notes{o} }

// within reads or changes the memory of a folder.
func within[R any](ctx context.Context, n *Notes, root string, do func(m *memory.Project) (R, error)) (r R, err error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return r, err
	}
	return do(m)
}

// byUser is the source of a user's changes.
var byUser = memory.Source{Origin: memory.User}

// Spec returns a version of the specification of a folder; 0 is the latest. The error matches memory.ErrNotFound
// or memory.ErrCollected.
func (n *Notes) Spec(ctx context.Context, root string, version int) (memory.Spec, error) {
	return within(ctx, n, root, func(m *memory.Project) (memory.Spec, error) { return m.Spec(ctx, version) })
}

// SpecDiff compares two versions, 0 being the latest: it returns their numbers, and a unified diff, which is empty for equal texts.
func (n *Notes) SpecDiff(ctx context.Context, root string, from, to int) (a, b int, diff string, err error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return 0, 0, "", err
	}
	before, after, err := m.SpecPair(ctx, from, to)
	if err != nil || before.Text == after.Text {
		return before.Version, after.Version, "", err
	}
	change := patch.FileChange{Kind: patch.Update, Path: "spec.md", Before: before.Text, After: after.Text}
	return before.Version, after.Version, patch.Unified(change, diffContext), nil
}

// diffContext is the number of lines around a change.
const diffContext = 3

// RollbackSpec appends a new version with the text of an old one. It deletes nothing.
func (n *Notes) RollbackSpec(ctx context.Context, root string, version int) (memory.Spec, error) {
	return within(ctx, n, root, func(m *memory.Project) (memory.Spec, error) { return m.RollbackSpec(ctx, version, byUser) })
}

// TaskInfo is a task of a folder, as users see it.
type TaskInfo struct {
	memory.Task
	// Stands is the state of the run of an active task; empty if the run is unknown.
	Stands event.State
	Moves  []memory.TaskMove // oldest first; only Engine.Task fills them
}

// Tasks lists the tasks of a folder, the last changed first. It starts no process.
func (n *Notes) Tasks(ctx context.Context, root string, f memory.TaskFilter) ([]TaskInfo, error) {
	tasks, err := within(ctx, n, root, func(m *memory.Project) ([]memory.Task, error) { return m.Tasks(ctx, f) })
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
// that continues. A task whose run was interrupted stays as it is: Resume then continues the named
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
	fork, err := within(ctx, n, root, func(m *memory.Project) (memory.Task, error) { return m.ForkTask(ctx, id, byUser) })
	return TaskInfo{Task: fork}, err
}

// quietWithin is the time limit for stopping the run of a cancelled task.
const quietWithin = time.Minute

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

// SpecStanding is a version of the specification of a folder, with the open findings of the last review of a run that used it.
type SpecStanding struct {
	Version  int
	Reviewed bool // a run used it, and its review is readable
	Unmet    int  // errors that the review found
}

// SpecStanding returns the standing of a version; 0 is the latest. Versions with the same text count as one. The error
// matches memory.ErrNotFound or memory.ErrCollected.
func (n *Notes) SpecStanding(ctx context.Context, root string, version int) (SpecStanding, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return SpecStanding{}, err
	}
	spec, err := m.Spec(ctx, version)
	if err != nil {
		return SpecStanding{}, err
	}
	standing := SpecStanding{Version: spec.Version}
	all, err := m.Specs(ctx)
	if err != nil {
		return standing, err
	}
	same := slices.DeleteFunc(all, func(s memory.Spec) bool { return s.Text != spec.Text || s.Source.Run == "" })
	for _, s := range same { // the latest first
		review, err := n.lastReview(ctx, root, s.Source.Run)
		if err != nil {
			return standing, err
		}
		if review == nil || review.Verdict != gate.Pass && review.Verdict != gate.Fail {
			continue
		}
		standing.Reviewed = true
		for _, f := range review.Findings {
			if f.Severity == gate.SeverityError {
				standing.Unmet++
			}
		}
		break
	}
	return standing, nil
}

// lastReview returns the last report of the reviewer of a run that has ended; nil if no reviewer was asked, or the run was deleted.
func (n *Notes) lastReview(ctx context.Context, root, id string) (*gate.Report, error) {
	p, err := n.options.State.Project(root)
	if err != nil {
		return nil, err
	}
	store, err := p.Known()
	if err != nil || store == nil {
		return nil, err
	}
	kept, err := store.Run(ctx, id)
	if errors.Is(err, flow.ErrNoRun) {
		return nil, nil
	}
	if err != nil {
		return nil, n.options.State.Explain(fmt.Errorf("read the review of run %s: %w", id, err))
	}
	return n.options.Review(kept.Result)
}

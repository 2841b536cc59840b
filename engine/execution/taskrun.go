package execution

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline"
	"forge/engine/state"
	"forge/memory"
)

// takeTask claims the draft of a task that the run was started for. It fails if another run has claimed it.
func (l *runMemory) takeTask(ctx context.Context) error {
	if l.params.TaskID == "" {
		return nil
	}
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err == nil {
		_, err = m.MoveTask(ctx, l.params.TaskID, memory.TaskPlanned, l.byRun())
	}
	return err
}

// byRun is where what the run does with its task comes from.
func (l *runMemory) byRun() memory.Source { return l.source(memory.User, "") }

// trackTask starts a goroutine that moves the task of the run from state to state with the run's events. wait returns after the last event.
// If a move cannot be stored, it notifies the user, and the run continues.
func (l *runMemory) trackTask(ctx context.Context) (wait func()) {
	ctx = context.WithoutCancel(ctx)
	task, err := l.beginTask(ctx)
	if err != nil {
		l.taskLost(err)
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range l.run.Log.Follow(ctx, l.run.Resumed) {
			to := stageOf(e.Data)
			if err != nil || to == "" || to == task.State || l.fenced() {
				continue
			}
			if task, err = l.advanceTask(ctx, task.ID, to); err != nil {
				l.taskLost(err)
			}
		}
	}()
	return func() { <-done }
}

// errNoTask means that the run has no task any more: the user deleted it, or made it a draft again that another run has claimed.
var errNoTask = errors.New("the run has no task")

// beginTask finds or creates the task of the run, and moves it to a state in which work is under way.
func (l *runMemory) beginTask(ctx context.Context) (memory.Task, error) {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err != nil {
		return memory.Task{}, err
	}
	task, err := m.TaskOf(ctx, l.run.ID)
	if errors.Is(err, memory.ErrNotFound) {
		text := l.host.Secrets.Plain(l.params.Task)
		task, err = m.CreateTask(ctx, title(text), text, l.byRun())
	}
	if err == nil && task.Source.Run != l.run.ID {
		err = errNoTask
	}
	if err == nil && task.State != memory.TaskDraft && !task.State.UnderWay() { // the user had the run tried again
		task, err = m.ResumeTask(ctx, task.ID, l.byRun())
	}
	if err == nil && task.State == memory.TaskDraft {
		task, err = m.MoveTask(ctx, task.ID, memory.TaskPlanned, l.byRun())
	}
	return task, err
}

func (l *runMemory) advanceTask(ctx context.Context, id memory.ID, to memory.TaskState) (memory.Task, error) {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err != nil {
		return memory.Task{}, err
	}
	return m.AdvanceTask(ctx, id, to, l.byRun())
}

// taskLost notifies the user that the task no longer follows the run, unless the user has deleted it or given it to another run.
func (l *runMemory) taskLost(err error) {
	if !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, errNoTask) {
		l.host.State.Notify(fmt.Sprintf("the task of run %s could not be kept: %v", l.run.ID, err))
	}
}

// stageOf returns the state to which an event of a run moves its task; empty if it does not.
func stageOf(d event.Data) memory.TaskState {
	switch d := d.(type) {
	case event.NodeChanged:
		switch {
		case d.Node.Status != graph.Running || pipeline.Plans(d.Node):
		case pipeline.Verifies(d.Node):
			return memory.TaskVerifying
		default:
			return memory.TaskRunning
		}
	case event.RunEnded:
		return taskEndings[d.State]
	}
	return ""
}

// taskEndings maps the end of a run to the state of its task. Any other end leaves the task as it is, because the run can be resumed.
var taskEndings = map[event.State]memory.TaskState{
	event.Succeeded: memory.TaskCompleted,
	event.Failed:    memory.TaskFailed,
	event.Blocked:   memory.TaskBlocked,
	event.Cancelled: memory.TaskCancelled,
}

// AbandonTask cancels the task of a run that was cancelled while no process worked on it.
func AbandonTask(ctx context.Context, s *state.State, root, run string) {
	m, err := s.Memory(ctx, root)
	if err == nil {
		var task memory.Task
		if task, err = m.TaskOf(ctx, run); err == nil && task.Source.Run == run && task.State.UnderWay() {
			_, err = m.AdvanceTask(ctx, task.ID, memory.TaskCancelled, memory.Source{Origin: memory.User, Run: run})
		}
	}
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		s.Notify(fmt.Sprintf("the task of run %s could not be cancelled: %v; forge task cancel tries again", run, err))
	}
}

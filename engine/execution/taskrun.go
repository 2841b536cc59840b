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

// takeTask gives the run the draft that it was started for. Of several runs one gets it.
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

// trackTask moves the task of the run as the run goes, in a goroutine that the function it returns waits for: until the
// last event. Where a move cannot be kept the user is notified, and the run is what it is.
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

// errNoTask says that the run has no task any more: it was deleted, or made a draft again that another run took.
var errNoTask = errors.New("the run has no task")

// beginTask finds the task of the run, or makes it where it has had none, and notes that the run has it.
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

// taskLost reports that the task does not say any more how the run stands, unless the user wanted it so.
func (l *runMemory) taskLost(err error) {
	if !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, errNoTask) {
		l.host.State.Notify(fmt.Sprintf("the task of run %s could not be kept: %v", l.run.ID, err))
	}
}

// stageOf is where an event of a run puts its task; empty where it is.
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

// taskEndings say what becomes of a task whose run has ended. One that can go on leaves its task as it is.
var taskEndings = map[event.State]memory.TaskState{
	event.Succeeded: memory.TaskCompleted,
	event.Failed:    memory.TaskFailed,
	event.Blocked:   memory.TaskBlocked,
	event.Cancelled: memory.TaskCancelled,
}

// AbandonTask cancels the task of a run that was cancelled while nobody worked on it.
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

package service

import (
	"context"
	"strings"

	"forge/api"
	"forge/engine/history"
	"forge/memory"
)

// TaskStore stores the tasks of a folder.
type TaskStore interface {
	Tasks(ctx context.Context, root string, f memory.TaskFilter) ([]history.TaskInfo, error)
	Task(ctx context.Context, root string, id memory.ID) (history.TaskInfo, error)
	// ResumeTask makes a draft of a task, or returns the run that is to be resumed instead.
	ResumeTask(ctx context.Context, root string, id memory.ID) (task history.TaskInfo, run string, err error)
	ForkTask(ctx context.Context, root string, id memory.ID) (history.TaskInfo, error)
	CancelTask(ctx context.Context, root string, id memory.ID) (history.TaskInfo, error)
	DeleteTask(ctx context.Context, root string, id memory.ID) error
}

// ListTasks answers forge.task.list.
func ListTasks(ctx context.Context, e TaskStore, in Folder, a *api.TaskListArgs) (api.TasksResult, error) {
	filter := memory.TaskFilter{Limit: a.Limit}
	if a.State != "" {
		filter.States = []memory.TaskState{memory.TaskState(a.State)}
	}
	tasks, err := e.Tasks(ctx, in.Path, filter)
	return tasksOf(tasks), err
}

// SearchTasks answers forge.task.search.
func SearchTasks(ctx context.Context, e TaskStore, in Folder, a *api.TaskSearchArgs) (api.TasksResult, error) {
	if strings.TrimSpace(a.Text) == "" {
		return api.TasksResult{}, &api.ArgumentError{Field: "text", Problem: "is required; give a part of a title or of a prompt"}
	}
	tasks, err := e.Tasks(ctx, in.Path, memory.TaskFilter{Text: a.Text, Limit: a.Limit})
	return tasksOf(tasks), err
}

// ShowTask answers forge.task.show.
func ShowTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskArgs) (api.TaskInfo, error) {
	return oneTask(ctx, e.Task, in, a.ID)
}

// ForkTask answers forge.task.fork.
func ForkTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskArgs) (api.TaskInfo, error) {
	return oneTask(ctx, e.ForkTask, in, a.ID)
}

// MoveTask answers forge.task.move. A user can only set the state cancelled.
func MoveTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskMoveArgs) (api.TaskInfo, error) {
	return oneTask(ctx, e.CancelTask, in, a.ID)
}

// oneTask calls do for a task and returns the changed task.
func oneTask(ctx context.Context, do func(ctx context.Context, root string, id memory.ID) (history.TaskInfo, error), in Folder, id string) (api.TaskInfo, error) {
	task, err := do(ctx, in.Path, memory.ID(id))
	return taskOf(task), Missing(Tasks, id, in, err)
}

// DeleteTask answers forge.task.delete.
func DeleteTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskArgs) (api.TaskDeleted, error) {
	err := e.DeleteTask(ctx, in.Path, memory.ID(a.ID))
	return api.TaskDeleted{ID: a.ID}, Missing(Tasks, a.ID, in, err)
}

// ResumeTask answers forge.task.resume without resuming a run: it returns a draft of the task, or the task and the run to
// resume.
func ResumeTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskResumeArgs) (task api.TaskInfo, run string, err error) {
	found, run, err := e.ResumeTask(ctx, in.Path, memory.ID(a.ID))
	return taskOf(found), run, Missing(Tasks, a.ID, in, err)
}

package service

import (
	"context"
	"strings"

	"forge/api"
	"forge/engine/history"
	"forge/memory"
)

// TaskStore is the tasks of a folder.
type TaskStore interface {
	Tasks(ctx context.Context, root string, f memory.TaskFilter) ([]history.TaskInfo, error)
	Task(ctx context.Context, root string, id memory.ID) (history.TaskInfo, error)
	// ResumeTask makes a draft of a task, or names the run that is to be resumed instead.
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
	return api.TasksOf(tasks), err
}

// SearchTasks answers forge.task.search.
func SearchTasks(ctx context.Context, e TaskStore, in Folder, a *api.TaskSearchArgs) (api.TasksResult, error) {
	if strings.TrimSpace(a.Text) == "" {
		return api.TasksResult{}, &api.ArgumentError{Field: "text", Want: "there is none; give a part of a title, or of what is to be done"}
	}
	tasks, err := e.Tasks(ctx, in.Path, memory.TaskFilter{Text: a.Text, Limit: a.Limit})
	return api.TasksOf(tasks), err
}

// ShowTask answers forge.task.show.
func ShowTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskArgs) (api.TaskInfo, error) {
	return oneTask(ctx, e.Task, in, a.ID)
}

// ForkTask answers forge.task.fork.
func ForkTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskArgs) (api.TaskInfo, error) {
	return oneTask(ctx, e.ForkTask, in, a.ID)
}

// MoveTask answers forge.task.move. Cancelled is the only state that a user may give a task.
func MoveTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskMoveArgs) (api.TaskInfo, error) {
	return oneTask(ctx, e.CancelTask, in, a.ID)
}

// oneTask does something with a task, and returns it as it is then.
func oneTask(ctx context.Context, do func(ctx context.Context, root string, id memory.ID) (history.TaskInfo, error), in Folder, id string) (api.TaskInfo, error) {
	task, err := do(ctx, in.Path, memory.ID(id))
	return api.TaskOf(task), Missing(Tasks, id, in, err)
}

// DeleteTask answers forge.task.delete.
func DeleteTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskArgs) (api.TaskDeleted, error) {
	err := e.DeleteTask(ctx, in.Path, memory.ID(a.ID))
	return api.TaskDeleted{ID: a.ID}, Missing(Tasks, a.ID, in, err)
}

// ResumeTask is the part of forge.task.resume that resumes no run: a draft of the task, or the task and the run that is to be
// resumed.
func ResumeTask(ctx context.Context, e TaskStore, in Folder, a *api.TaskResumeArgs) (task api.TaskInfo, run string, err error) {
	found, run, err := e.ResumeTask(ctx, in.Path, memory.ID(a.ID))
	return api.TaskOf(found), run, Missing(Tasks, a.ID, in, err)
}

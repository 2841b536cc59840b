package lsp

import (
	"context"
	"strings"

	"forge/api"
	"forge/engine"
	"forge/memory"
)

// Tasking is what the server needs of forge/engine for the tasks of a folder.
type Tasking interface {
	Tasks(ctx context.Context, root string, f memory.TaskFilter) ([]engine.TaskInfo, error)
	Task(ctx context.Context, root string, id memory.ID) (engine.TaskInfo, error)
	// ResumeTask makes a draft of a task, or names the run that is to be taken up instead.
	ResumeTask(ctx context.Context, root string, id memory.ID) (task engine.TaskInfo, run string, err error)
	ForkTask(ctx context.Context, root string, id memory.ID) (engine.TaskInfo, error)
	CancelTask(ctx context.Context, root string, id memory.ID) (engine.TaskInfo, error)
	DeleteTask(ctx context.Context, root string, id memory.ID) error
}

// taskHandlers answer the commands about tasks.
func (f *front) taskHandlers() map[string]commandHandler {
	one := func(do func(k Kept, ctx context.Context, root string, id memory.ID) (engine.TaskInfo, error)) commandHandler {
		return keptCommand(f, func(a *api.TaskArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.TaskArgs) (engine.TaskInfo, error) {
				return do(k, ctx, root, memory.ID(a.ID))
			}, api.TaskOf)
	}
	return map[string]commandHandler{
		api.ListTasks: keptCommand(f, func(a *api.TaskListArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.TaskListArgs) ([]engine.TaskInfo, error) {
				filter := memory.TaskFilter{Limit: a.Limit}
				if a.State != "" {
					filter.States = []memory.TaskState{memory.TaskState(a.State)}
				}
				return k.Tasks(ctx, root, filter)
			}, api.TasksOf),
		api.SearchTasks: keptCommand(f, func(a *api.TaskSearchArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.TaskSearchArgs) ([]engine.TaskInfo, error) {
				if strings.TrimSpace(a.Text) == "" {
					return nil, invalidParams("text: there is none; give a part of a title, or of what is to be done")
				}
				return k.Tasks(ctx, root, memory.TaskFilter{Text: a.Text, Limit: a.Limit})
			}, api.TasksOf),
		api.ShowTask: one(Kept.Task),
		api.ForkTask: one(Kept.ForkTask),
		api.MoveTask: keptCommand(f, func(a *api.TaskMoveArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.TaskMoveArgs) (engine.TaskInfo, error) {
				return k.CancelTask(ctx, root, memory.ID(a.ID)) // the only state that api.Decode lets through
			}, api.TaskOf),
		api.DeleteTask: keptCommand(f, func(a *api.TaskArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.TaskArgs) (api.TaskDeleted, error) {
				return api.TaskDeleted{ID: a.ID}, k.DeleteTask(ctx, root, memory.ID(a.ID))
			}, same[api.TaskDeleted]),
		api.ResumeTask: handler(f.resumeTask),
	}
}

// resumeTask answers forge.task.resume.
func (f *front) resumeTask(ctx context.Context, a *api.TaskResumeArgs) (api.TaskResumed, error) {
	k, folder, err := f.kept(a.Folder)
	if err != nil {
		return api.TaskResumed{}, err
	}
	task, id, err := k.ResumeTask(ctx, folder.Path, memory.ID(a.ID))
	if err != nil {
		return api.TaskResumed{}, answerable(err)
	}
	result := api.TaskResumed{Task: api.TaskOf(task)}
	if id != "" {
		var run api.RunResult
		run, err = f.resume(ctx, &api.ResumeArgs{RunID: id, Wait: a.Wait})
		result.Run = &run
	}
	return result, err
}

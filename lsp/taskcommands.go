package lsp

import (
	"context"
	"strings"

	"forge/engine"
	"forge/lsp/command"
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
		return keptCommand(f, func(a *command.TaskArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.TaskArgs) (engine.TaskInfo, error) {
				return do(k, ctx, root, memory.ID(a.ID))
			}, command.TaskOf)
	}
	return map[string]commandHandler{
		command.ListTasks: keptCommand(f, func(a *command.TaskListArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.TaskListArgs) ([]engine.TaskInfo, error) {
				filter := memory.TaskFilter{Limit: a.Limit}
				if a.State != "" {
					filter.States = []memory.TaskState{memory.TaskState(a.State)}
				}
				return k.Tasks(ctx, root, filter)
			}, command.TasksOf),
		command.SearchTasks: keptCommand(f, func(a *command.TaskSearchArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.TaskSearchArgs) ([]engine.TaskInfo, error) {
				if strings.TrimSpace(a.Text) == "" {
					return nil, invalidParams("text: there is none; give a part of a title, or of what is to be done")
				}
				return k.Tasks(ctx, root, memory.TaskFilter{Text: a.Text, Limit: a.Limit})
			}, command.TasksOf),
		command.ShowTask: one(Kept.Task),
		command.ForkTask: one(Kept.ForkTask),
		command.MoveTask: keptCommand(f, func(a *command.TaskMoveArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.TaskMoveArgs) (engine.TaskInfo, error) {
				return k.CancelTask(ctx, root, memory.ID(a.ID)) // the only state that command.Decode lets through
			}, command.TaskOf),
		command.DeleteTask: keptCommand(f, func(a *command.TaskArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.TaskArgs) (command.TaskDeleted, error) {
				return command.TaskDeleted{ID: a.ID}, k.DeleteTask(ctx, root, memory.ID(a.ID))
			}, same[command.TaskDeleted]),
		command.ResumeTask: handler(f.resumeTask),
	}
}

// resumeTask answers forge.task.resume.
func (f *front) resumeTask(ctx context.Context, a *command.TaskResumeArgs) (command.TaskResumed, error) {
	k, folder, err := f.kept(a.Folder)
	if err != nil {
		return command.TaskResumed{}, err
	}
	task, id, err := k.ResumeTask(ctx, folder.Path, memory.ID(a.ID))
	if err != nil {
		return command.TaskResumed{}, answerable(err)
	}
	result := command.TaskResumed{Task: command.TaskOf(task)}
	if id != "" {
		var run command.RunResult
		run, err = f.resume(ctx, &command.ResumeArgs{RunID: id, Wait: a.Wait})
		result.Run = &run
	}
	return result, err
}

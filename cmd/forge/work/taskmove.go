package work

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/memory"
)

// newTaskChange returns a command that changes one task and then reports its state.
func newTaskChange(t terminal.Terminal, c cobra.Command, example string, change func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error)) *cobra.Command {
	var f terminal.KeptFlags
	c.Example, c.Args = "  "+example, terminal.Exactly(1, example)
	c.RunE = func(c *cobra.Command, args []string) error {
		return f.With(t, func(e *engine.Engine, in service.Folder) error {
			task, err := change(c.Context(), e, in, args[0])
			return terminal.Shown(t, f.JSON, task, err, func(r api.TaskInfo) error { return tellTask(t, r) })
		})
	}
	f.Add(&c)
	return &c
}

// tellTask prints the state of a changed task, and the command that starts a draft.
func tellTask(t terminal.Terminal, task api.TaskInfo) error {
	if task.State == string(memory.TaskDraft) {
		fmt.Fprintf(t.Err, "[forge] to start it: forge run --task %s\n", task.ID)
	}
	_, err := fmt.Fprintf(t.Out, "%s is %s\n", task.ID, task.State)
	return err
}

// NewTaskFork returns the command forge fork.
func NewTaskFork(t terminal.Terminal) *cobra.Command {
	return newTaskChange(t, cobra.Command{Use: "fork TASK", Short: "Copy a task as a draft"},
		"forge task fork task_0123456789ab", func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error) {
			return service.ForkTask(ctx, e, in, &api.TaskArgs{ID: id})
		})
}

// NewTaskCancel returns the command forge cancel.
func NewTaskCancel(t terminal.Terminal) *cobra.Command {
	return newTaskChange(t, cobra.Command{Use: "cancel TASK", Short: "Cancel a task, and stop its run in any process"},
		"forge task cancel task_0123456789ab", func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error) {
			return service.MoveTask(ctx, e, in, &api.TaskMoveArgs{ID: id, To: string(memory.TaskCancelled)})
		})
}

// NewTaskDelete returns the command forge delete.
func NewTaskDelete(t terminal.Terminal) *cobra.Command {
	const example = "forge task delete task_0123456789ab"
	return terminal.Stored(t, cobra.Command{
		Use: "delete TASK", Short: "Delete a task permanently; its run and its forks are kept", Example: "  " + example,
		Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, o terminal.Opened) (api.TaskDeleted, error) {
		return service.DeleteTask(ctx, o.Engine, o.In, &api.TaskArgs{ID: o.Args[0]})
	}, func(t terminal.Terminal, r api.TaskDeleted) error {
		_, err := fmt.Fprintf(t.Out, "%s is deleted\n", r.ID)
		return err
	})
}

// NewTaskResume returns the command forge resume.
func NewTaskResume(t terminal.Terminal) *cobra.Command {
	var f RunFlags
	const example = "forge task resume task_0123456789ab"
	c := &cobra.Command{
		Use:   "resume TASK",
		Short: "Resume the run of an interrupted or paused task; copy an ended or blocked task as a draft",
		Long: `Resume the run of a task that was interrupted or paused, as forge resume does. A task that has ended or is blocked becomes
a draft, which is not started. Its run can still be resumed with forge resume.`,
		Example: "  " + example,
		Args:    terminal.Exactly(1, example),
		RunE:    func(c *cobra.Command, args []string) error { return resumeTask(c.Context(), t, f, args[0]) },
	}
	f.addResume(c)
	return c
}

func resumeTask(ctx context.Context, t terminal.Terminal, f RunFlags, id string) error {
	limits, err := f.limits.Given()
	if err != nil {
		return err
	}
	return terminal.InProjectWith(t, f.dir, f.model.Models(), func(e *engine.Engine, root string) error {
		task, run, err := service.ResumeTask(ctx, e, service.At(root), &api.TaskResumeArgs{ID: id})
		if err != nil {
			return terminal.Explained(err)
		}
		if run == "" {
			return terminal.Shown(t, f.json, task, nil, func(r api.TaskInfo) error { return tellTask(t, r) })
		}
		return Session{Dialogue: terminal.NewDialogue(t), Engine: e, Flags: f}.takeUp(ctx, run, limits)
	})
}

package keep

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/cmd/forge/work"
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
			return terminal.Shown(t, f.JSON, task, err, func(r api.TaskInfo) error { return work.TellTask(t, r) })
		})
	}
	f.Add(&c)
	return &c
}

// newTaskFork returns the command forge task fork.
func newTaskFork(t terminal.Terminal) *cobra.Command {
	return newTaskChange(t, cobra.Command{Use: "fork TASK", Short: "Copy a task as a draft"},
		"forge task fork task_0123456789ab", func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error) {
			return service.ForkTask(ctx, e, in, &api.TaskArgs{ID: id})
		})
}

// newTaskCancel returns the command forge task cancel.
func newTaskCancel(t terminal.Terminal) *cobra.Command {
	return newTaskChange(t, cobra.Command{Use: "cancel TASK", Short: "Cancel a task, and stop its run in any process"},
		"forge task cancel task_0123456789ab", func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error) {
			return service.MoveTask(ctx, e, in, &api.TaskMoveArgs{ID: id, To: string(memory.TaskCancelled)})
		})
}

// newTaskDelete returns the command forge task delete.
func newTaskDelete(t terminal.Terminal) *cobra.Command {
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

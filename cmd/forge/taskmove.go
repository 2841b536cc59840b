package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/memory"
)

// newTaskChange is a command that changes one task and then says how it stands.
func newTaskChange(t terminal, c cobra.Command, example string, change func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error)) *cobra.Command {
	var f keptFlags
	c.Example, c.Args = "  "+example, exactly(1, example)
	c.RunE = func(c *cobra.Command, args []string) error {
		return f.with(t, func(e *engine.Engine, in service.Folder) error {
			task, err := change(c.Context(), e, in, args[0])
			return shown(t, f.json, task, err, func(r api.TaskInfo) error { return tellTask(t, r) })
		})
	}
	f.add(&c)
	return &c
}

// tellTask says how a task stands after it was changed, and what begins a draft.
func tellTask(t terminal, task api.TaskInfo) error {
	if task.State == string(memory.TaskDraft) {
		fmt.Fprintf(t.err, "[forge] begin it with: forge run --task %s\n", task.ID)
	}
	_, err := fmt.Fprintf(t.out, "%s is %s\n", task.ID, task.State)
	return err
}

func newTaskFork(t terminal) *cobra.Command {
	return newTaskChange(t, cobra.Command{Use: "fork TASK", Short: "Make a draft out of a task, which stays as it is"},
		"forge task fork task_0123456789ab", func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error) {
			return service.ForkTask(ctx, e, in, &api.TaskArgs{ID: id})
		})
}

func newTaskCancel(t terminal) *cobra.Command {
	return newTaskChange(t, cobra.Command{Use: "cancel TASK", Short: "Cancel a task, and stop its run in whatever process it is worked on"},
		"forge task cancel task_0123456789ab", func(ctx context.Context, e *engine.Engine, in service.Folder, id string) (api.TaskInfo, error) {
			return service.MoveTask(ctx, e, in, &api.TaskMoveArgs{ID: id, To: string(memory.TaskCancelled)})
		})
}

func newTaskDelete(t terminal) *cobra.Command {
	var f keptFlags
	const example = "forge task delete task_0123456789ab"
	c := &cobra.Command{
		Use: "delete TASK", Short: "Forget a task for good; its run, and what was forked from it, stay", Example: "  " + example,
		Args: exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			return f.with(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.DeleteTask(c.Context(), e, in, &api.TaskArgs{ID: args[0]})
				return shown(t, f.json, result, err, func(r api.TaskDeleted) error {
					_, err := fmt.Fprintf(t.out, "%s is deleted\n", r.ID)
					return err
				})
			})
		},
	}
	f.add(c)
	return c
}

func newTaskResume(t terminal) *cobra.Command {
	var f runFlags
	const example = "forge task resume task_0123456789ab"
	c := &cobra.Command{
		Use:   "resume TASK",
		Short: "Take up the run of a task that was cut off or paused; make a draft of one that has ended or is blocked",
		Long: `Take up the run of a task that was cut off or paused, as forge resume does. A task that has ended, or is blocked, becomes
a draft: nothing is begun by that. The run that it had can still be taken up where it is, by its own name.`,
		Example: "  " + example,
		Args:    exactly(1, example),
		RunE:    func(c *cobra.Command, args []string) error { return resumeTask(c.Context(), t, f, args[0]) },
	}
	f.addResume(c)
	return c
}

func resumeTask(ctx context.Context, t terminal, f runFlags, id string) error {
	limits, err := f.limits.given()
	if err != nil {
		return err
	}
	return inProjectWith(t, f.dir, f.model.models(), func(e *engine.Engine, root string) error {
		task, run, err := service.ResumeTask(ctx, e, service.At(root), &api.TaskResumeArgs{ID: id})
		if err != nil {
			return explained(err)
		}
		if run == "" {
			return shown(t, f.json, task, nil, func(r api.TaskInfo) error { return tellTask(t, r) })
		}
		return session{dialogue: newDialogue(t), engine: e, flags: f}.takeUp(ctx, run, limits)
	})
}

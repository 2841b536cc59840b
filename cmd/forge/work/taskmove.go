package work

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/memory"
)

// NewTaskResume returns the command forge task resume.
func NewTaskResume(t terminal.Terminal) *cobra.Command {
	var f RunFlags
	const example = "forge task resume task_0123456789ab"
	c := &cobra.Command{
		Use:   "resume TASK",
		Short: "Resume the run of an interrupted task; copy an ended or blocked task as a draft",
		Long: `Resume the run of a task that was interrupted, as forge resume does. A task that has ended or is blocked becomes
a draft, which is not started. Its run can still be resumed with forge resume.`,
		Example: "  " + example,
		Args:    terminal.Exactly(1, example),
		RunE:    func(c *cobra.Command, args []string) error { return resumeTask(c, t, f, args[0]) },
	}
	f.addResume(c)
	return c
}

func resumeTask(c *cobra.Command, t terminal.Terminal, f RunFlags, id string) error {
	ctx := c.Context()
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
			if unused := terminal.OnlyFlags(c, "a draft is not started, so it", "dir", "json"); unused != nil {
				fmt.Fprintf(t.Err, "[forge] %v\n", unused)
			}
			return terminal.Shown(t, f.json, task, nil, func(r api.TaskInfo) error { return TellTask(t, r) })
		}
		return f.resuming(t, e).resume(ctx, run, limits)
	})
}

// TellTask prints the state of a changed task, and the command that starts a draft.
func TellTask(t terminal.Terminal, task api.TaskInfo) error {
	if task.State == string(memory.TaskDraft) {
		fmt.Fprintf(t.Err, "[forge] to start it: forge run --task %s\n", task.ID)
	}
	_, err := fmt.Fprintf(t.Out, "%s is %s\n", task.ID, task.State)
	return err
}

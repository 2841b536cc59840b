package keep

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/cmd/forge/work"
	"forge/engine"
	"forge/engine/event"
	"forge/internal/inert"
	"forge/memory"
)

// NewTask returns the command forge task.
func NewTask(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "task",
		Short: "List the tasks of a folder, and resume, fork, cancel or delete them",
		Long: `List the tasks of a folder, and resume, fork, cancel or delete them. Each run has a task with a state: draft,
planned, approved, scheduled, running, verifying, and finally completed, failed, blocked or cancelled. A draft waits for
forge run --task.`,
		Example: `  forge task list
  forge task fork task_0123456789ab
  forge run --task task_ba9876543210`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTaskList(t), newTaskSearch(t), newTaskShow(t), work.NewTaskResume(t), newTaskFork(t), newTaskCancel(t), newTaskDelete(t))
	return c
}

func newTaskList(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var all bool
	var state string
	c := &cobra.Command{
		Use: "list", Short: "List the tasks of a folder, last changed first", Example: "  forge task list --state draft", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := oneOf("--state", memory.TaskState(state), memory.TaskStates); err != nil {
				return err
			}
			a := api.TaskListArgs{State: state}
			if !all {
				a.Limit = shownRuns + 1 // one more, to detect a longer list
			}
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.ListTasks(c.Context(), e, in, &a)
				hidden := !all && len(result.Tasks) > shownRuns
				if hidden {
					result.Tasks = result.Tasks[:shownRuns]
				}
				return terminal.Shown(t, f.JSON, result, err, func(r api.TasksResult) error { return printTasks(t, in, r.Tasks, hidden) })
			})
		},
	}
	f.Add(c)
	c.Flags().StringVar(&state, "state", "", "only tasks in this state: "+names(memory.TaskStates))
	c.Flags().BoolVar(&all, "all", false, fmt.Sprintf("list all stored tasks, not only the last %d", shownRuns))
	return c
}

func newTaskSearch(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	const example = "forge task search refund"
	c := &cobra.Command{
		Use: "search TEXT…", Short: "Find tasks by a text in their title or prompt", Example: "  " + example,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return fmt.Errorf("the text is missing: give a part of a title or prompt, as in\n  %s", example)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.SearchTasks(c.Context(), e, in, &api.TaskSearchArgs{Text: strings.Join(args, " ")})
				return terminal.Shown(t, f.JSON, result, err, func(r api.TasksResult) error { return printTasks(t, in, r.Tasks, false) })
			})
		},
	}
	f.Add(c)
	return c
}

func printTasks(t terminal.Terminal, in service.Folder, tasks []api.TaskInfo, hidden bool) error {
	if len(tasks) == 0 {
		fmt.Fprintf(t.Err, "[forge] no such task in %s; each run has one: forge run \"what to do\"\n", in.Path)
		return nil
	}
	rows := [][]string{{"TASK", "STATE", "CHANGED", "RUN", "WHAT"}}
	for _, task := range tasks {
		rows = append(rows, []string{task.ID, stateOfTask(task), service.Ago(time.Since(terminal.When(task.Updated))), task.RunID, task.Title})
	}
	err := terminal.Table(t.Out, rows)
	if hidden {
		fmt.Fprintln(t.Err, "[forge] older tasks are not shown: use --all")
	}
	return err
}

// stateOfTask formats the state of a task, and the state of its run if it adds something.
func stateOfTask(t api.TaskInfo) string {
	switch {
	case !memory.TaskState(t.State).UnderWay() || t.RunState == string(event.Running):
		return t.State
	case t.RunState == "":
		return t.State + " (its run no longer exists)"
	}
	return fmt.Sprintf("%s (%s)", t.State, t.RunState)
}

func newTaskShow(t terminal.Terminal) *cobra.Command {
	const example = "forge task show task_0123456789ab"
	return terminal.Stored(t, cobra.Command{
		Use: "show TASK", Short: "Show a task with its prompt, run and state changes", Example: "  " + example,
		Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, o terminal.Opened) (api.TaskInfo, error) {
		return service.ShowTask(ctx, o.Engine, o.In, &api.TaskArgs{ID: o.Args[0]})
	}, func(t terminal.Terminal, r api.TaskInfo) error {
		printTask(t.Out, r)
		return nil
	})
}

func printTask(out io.Writer, t api.TaskInfo) {
	const layout = "2006-01-02 15:04:05"
	fmt.Fprintf(out, "%s is %s: %s\n", t.ID, stateOfTask(t), inert.Text(t.Title))
	if t.RunID != "" {
		fmt.Fprintf(out, "  its run is %s: forge log %s shows what it did\n", inert.Text(t.RunID), inert.Text(t.RunID))
	}
	if t.Parent != "" {
		fmt.Fprintf(out, "  forked from %s\n", t.Parent)
	}
	fmt.Fprintf(out, "  created on %s\n", terminal.When(t.Created).Local().Format(layout))
	for _, m := range t.Moves {
		fmt.Fprintf(out, "  %s  %s, was %s, by %s\n", terminal.When(m.TS).Local().Format(layout), m.To, m.From, inert.Text(m.Source))
	}
	fmt.Fprintf(out, "\n%s\n", inert.Text(t.Prompt))
}

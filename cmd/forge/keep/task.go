package keep

import (
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
		Long: `List the tasks of a folder, and resume, fork, cancel or delete them. Each run has a task, which goes with it: draft,
planned, approved, scheduled, running, verifying, and in the end completed, failed, blocked or cancelled. A draft waits for
forge run --task.`,
		Example: `  forge task list
  forge task fork task_0123456789ab
  forge run --task task_ba9876543210`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTaskList(t), newTaskSearch(t), newTaskShow(t), work.NewTaskResume(t), work.NewTaskFork(t), work.NewTaskCancel(t), work.NewTaskDelete(t))
	return c
}

func newTaskList(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var all bool
	var state string
	c := &cobra.Command{
		Use: "list", Short: "List the tasks of a folder, the last changed first", Example: "  forge task list --state draft", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := oneOf("--state", memory.TaskState(state), memory.TaskStates); err != nil {
				return err
			}
			a := api.TaskListArgs{State: state}
			if !all {
				a.Limit = shownRuns + 1 // one more shows that the list is longer
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
	c.Flags().StringVar(&state, "state", "", "only those that are "+names(memory.TaskStates))
	c.Flags().BoolVar(&all, "all", false, fmt.Sprintf("list all that are kept, not only the last %d", shownRuns))
	return c
}

func newTaskSearch(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	const example = "forge task search refund"
	c := &cobra.Command{
		Use: "search TEXT…", Short: "Find the tasks that have a text in their title or in what is to be done", Example: "  " + example,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return fmt.Errorf("there is nothing to search for: give a part of what was to be done, as in\n  %s", example)
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
		fmt.Fprintf(t.Err, "[forge] there is no such task in %s: each run makes one, as in: forge run \"what to do\"\n", in.Path)
		return nil
	}
	rows := [][]string{{"TASK", "STATE", "CHANGED", "RUN", "WHAT"}}
	for _, task := range tasks {
		rows = append(rows, []string{task.ID, stateOfTask(task), service.Ago(time.Since(terminal.When(task.Updated))), task.RunID, task.Title})
	}
	err := terminal.Table(t.Out, rows)
	if hidden {
		fmt.Fprintln(t.Err, "[forge] older ones are not shown: give --all")
	}
	return err
}

// stateOfTask returns the state of a task, and that of its run if it says more.
func stateOfTask(t api.TaskInfo) string {
	switch {
	case !memory.TaskState(t.State).UnderWay() || t.RunState == string(event.Running):
		return t.State
	case t.RunState == "":
		return t.State + " (its run is gone)"
	}
	return fmt.Sprintf("%s (%s)", t.State, t.RunState)
}

func newTaskShow(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	const example = "forge task show task_0123456789ab"
	c := &cobra.Command{
		Use: "show TASK", Short: "Show all of a task: what is to be done, which run has it, and how it got where it is", Example: "  " + example,
		Args: terminal.Exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.ShowTask(c.Context(), e, in, &api.TaskArgs{ID: args[0]})
				return terminal.Shown(t, f.JSON, result, err, func(r api.TaskInfo) error {
					printTask(t.Out, r)
					return nil
				})
			})
		},
	}
	f.Add(c)
	return c
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
	fmt.Fprintf(out, "  made on %s\n", terminal.When(t.Created).Local().Format(layout))
	for _, m := range t.Moves {
		fmt.Fprintf(out, "  %s  %s, was %s, by %s\n", terminal.When(m.TS).Local().Format(layout), m.To, m.From, inert.Text(m.Source))
	}
	fmt.Fprintf(out, "\n%s\n", inert.Text(t.Prompt))
}

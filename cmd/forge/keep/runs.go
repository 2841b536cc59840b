package keep

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/history"
)

// shownRuns is the number of listed runs without --all.
const shownRuns = 20

// NewRuns returns the command forge runs.
func NewRuns(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var all bool
	c := &cobra.Command{
		Use: "runs", SuggestFor: []string{"show", "list", "ls", "status"},
		Short: "List the runs of a folder, of all processes, newest first",
		Example: `  forge runs
  forge runs --all --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error { return listRuns(c.Context(), t, e, in, all, f.JSON) })
		},
	}
	f.Add(c)
	c.Flags().BoolVar(&all, "all", false, fmt.Sprintf("list all stored runs, not only the newest %d", shownRuns))
	c.AddCommand(newRunShow(t))
	return c
}

func listRuns(ctx context.Context, t terminal.Terminal, e *engine.Engine, in service.Folder, all, asJSON bool) error {
	result, err := service.ListRuns(ctx, e, in, &api.RunsArgs{All: true})
	hidden := 0
	if !all && len(result.Runs) > shownRuns {
		hidden = len(result.Runs) - shownRuns
		result.Runs = result.Runs[:shownRuns]
	}
	return terminal.Shown(t, asJSON, result, err, func(r api.RunsResult) error { return printRuns(t, in, r.Runs, hidden) })
}

func printRuns(t terminal.Terminal, in service.Folder, runs []api.RunInfo, hidden int) error {
	if len(runs) == 0 {
		fmt.Fprintf(t.Err, "[forge] no run in %s so far; start one: forge run \"what to do\"\n", in.Path)
		return nil
	}
	err := terminal.Table(t.Out, append([][]string{{"RUN", "STATE", "AGE", "WORK", "TOKENS", "COST", "FILES", "CHANGE", "TASK"}}, runRows(runs)...))
	if hidden > 0 {
		fmt.Fprintf(t.Err, "[forge] %d older runs are not shown: use --all\n", hidden)
	}
	return err
}

func runRows(runs []api.RunInfo) [][]string {
	var rows [][]string
	for _, r := range runs {
		rows = append(rows, []string{
			r.RunID, stateAndBatch(r), service.Ago(time.Since(terminal.When(r.Started))), wayOf(r.Recipe, r.Mode, r.Profile), strconv.Itoa(r.Tokens), r.Cost.String(),
			strconv.Itoa(r.Files), changeOf(r), r.Task,
		})
	}
	return rows
}

// changeOf is what has become of the change of a run.
func changeOf(r api.RunInfo) string {
	if r.Decision == string(history.Partial) {
		return "partly applied"
	}
	return r.Decision
}

// wayOf formats recipe, mode and profile: "fix · debug · tooluse".
func wayOf(recipe, mode, profile string) string {
	return event.Way{Recipe: recipe, Mode: mode, Profile: profile}.String()
}

// stateAndBatch formats the state of a run, with the batch it waits for.
func stateAndBatch(r api.RunInfo) string {
	switch {
	case r.Unverified != "":
		return r.State + " (unverified change)"
	case r.Batch == "":
		return r.State
	}
	return fmt.Sprintf("%s (waiting: %s)", r.State, r.Batch)
}

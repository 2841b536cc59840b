package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/engine"
	"forge/engine/story"
)

// shownRuns is how many runs are listed unless all are asked for.
const shownRuns = 20

func newRuns(t terminal) *cobra.Command {
	var f keptFlags
	var all bool
	c := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of a folder, of any process, the newest first",
		Example: `  forge runs
  forge runs --all --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.with(t, func(e *engine.Engine, root string) error { return listRuns(c.Context(), t, e, root, all, f.json) })
		},
	}
	f.add(c)
	c.Flags().BoolVar(&all, "all", false, fmt.Sprintf("list all that are kept, not only the newest %d", shownRuns))
	return c
}

func listRuns(ctx context.Context, t terminal, e *engine.Engine, root string, all, asJSON bool) error {
	runs, err := e.Runs(ctx, root)
	if err != nil {
		return err
	}
	hidden := 0
	if !all && len(runs) > shownRuns {
		hidden = len(runs) - shownRuns
		runs = runs[:shownRuns]
	}
	if asJSON {
		return writeJSON(t.out, api.RunsResult{Runs: api.RunsOf(runs)})
	}
	if len(runs) == 0 {
		fmt.Fprintf(t.err, "[forge] there has been no run in %s: begin one with: forge run \"what to do\"\n", root)
		return nil
	}
	err = table(t.out, append([][]string{{"RUN", "STATE", "AGE", "WORK", "TOKENS", "COST", "FILES", "TASK"}}, runRows(runs)...))
	if hidden > 0 {
		fmt.Fprintf(t.err, "[forge] %d older ones are not shown: give --all\n", hidden)
	}
	return err
}

func runRows(runs []engine.RunInfo) [][]string {
	var rows [][]string
	for _, r := range runs {
		rows = append(rows, []string{
			r.ID, stateAndBatch(r), story.Ago(time.Since(r.Started)), r.Way.String(), strconv.Itoa(r.Tokens), r.Cost.String(), strconv.Itoa(r.Files), r.Title,
		})
	}
	return rows
}

// stateAndBatch is the state of a run, and what it waits for if that may take a day.
func stateAndBatch(r engine.RunInfo) string {
	switch {
	case r.Unverified != "":
		return string(r.State) + " (unverified change)"
	case r.Batch == "":
		return string(r.State)
	}
	return fmt.Sprintf("%s (waiting: %s)", r.State, r.Batch)
}

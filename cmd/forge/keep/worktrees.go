package keep

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
)

// NewWorktrees returns the command forge worktrees.
func NewWorktrees(t terminal.Terminal) *cobra.Command {
	c := worktrees(t, "worktrees", "List the scratch trees of a folder, in which runs work", false)
	c.Long = "Lists the scratch trees of a folder: copies in which runs write, build and test. They are in Forge's own state. Your repository\n" +
		"has no worktree and no branch of Forge's."
	c.AddCommand(worktrees(t, "prune", "Remove the scratch trees that no process uses; the next run makes a new one", true))
	return c
}

func worktrees(t terminal.Terminal, name, short string, prune bool) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		Example: "  forge worktrees\n  forge worktrees prune",
		RunE: func(c *cobra.Command, _ []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				return listWorktrees(c.Context(), t, e, in, prune, f.JSON)
			})
		},
	}
	f.Add(c)
	return c
}

func listWorktrees(ctx context.Context, t terminal.Terminal, e *engine.Engine, in service.Folder, prune, asJSON bool) error {
	result, err := service.Worktrees(ctx, e, in, &api.WorktreesArgs{Prune: prune})
	return terminal.Shown(t, asJSON, result, err, func(r api.WorktreesResult) error {
		if prune {
			fmt.Fprintf(t.Err, "[forge] %s removed, %s freed\n", event.Count(r.Removed, "scratch tree"), size(r.Freed))
		}
		if len(r.Worktrees) == 0 {
			if !prune {
				fmt.Fprintf(t.Err, "[forge] no scratch tree of %s\n", in.Path)
			}
			return nil
		}
		rows := [][]string{{"STATE", "RUN", "SINCE", "SIZE", "FOLDER"}}
		for _, w := range r.Worktrees {
			rows = append(rows, []string{w.State, w.RunID, service.Ago(time.Since(terminal.When(w.Since))), size(w.Bytes), w.Dir})
		}
		return terminal.Table(t.Out, rows)
	})
}

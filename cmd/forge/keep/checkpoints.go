package keep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
)

// NewCheckpoints returns the command forge checkpoints.
func NewCheckpoints(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use:     "checkpoints",
		Short:   "List the accepted changes of a folder, which can be undone",
		Example: "  forge checkpoints\n  forge undo 5f0c2ab41d77",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.Checkpoints(c.Context(), e, in, &api.FolderArgs{})
				return terminal.Shown(t, f.JSON, result, err, func(r api.CheckpointsResult) error { return printCheckpoints(t, in, r.Checkpoints) })
			})
		},
	}
	f.Add(c)
	return c
}

func printCheckpoints(t terminal.Terminal, in service.Folder, checkpoints []api.Checkpoint) error {
	if len(checkpoints) == 0 {
		fmt.Fprintf(t.Err, "[forge] no change was accepted in %s so far\n", in.Path)
		return nil
	}
	rows := [][]string{{"CHECKPOINT", "RUN", "AGE", "FILES", "TITLE"}}
	for _, c := range checkpoints {
		rows = append(rows, []string{c.ID, c.RunID, service.Ago(time.Since(terminal.When(c.TS))), someFiles(c.Files), c.Title + takesBack(c)})
	}
	return terminal.Table(t.Out, rows)
}

func takesBack(c api.Checkpoint) string {
	if c.Undoes == "" {
		return ""
	}
	return " (undoes " + c.Undoes + ")"
}

// someFiles lists the first files and the number of the others.
func someFiles(files []api.CheckpointFile) string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return firstOf(paths)
}

// firstOf lists the first names and the number of the others.
func firstOf(names []string) string {
	const shown = 2
	if more := len(names) - shown; more > 0 {
		names = append(slices.Clone(names[:shown]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

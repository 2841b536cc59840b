package keep

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/history"
	"forge/internal/inert"
)

// NewGC returns the command forge gc.
func NewGC(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var dryRun bool
	c := &cobra.Command{
		Use:   "gc",
		Short: "Remove what nothing needs any more of what is kept of a folder, and say how many bytes that were",
		Long: fmt.Sprintf(`Remove what nothing needs any more of what is kept of a folder: runs that ended more than 90 days ago and are not
among the newest %d, memory that has lived its time, snapshots that no run goes back to, and more of the ledger where
it takes more than %s. Your files are never touched. docs/runs.md says what is kept for how long.`, history.KeptRuns, service.Bytes(history.DefaultQuota)),
		Example: "  forge gc --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.GC(c.Context(), e, in, &api.GCArgs{DryRun: dryRun})
				return terminal.Shown(t, f.JSON, result, err, func(r api.GCResult) error { return printCollected(t, r) })
			})
		},
	}
	f.Add(c)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	return c
}

func printCollected(t terminal.Terminal, result api.GCResult) error {
	verb := "removed"
	if result.DryRun {
		verb = "would be removed"
	}
	for _, part := range []struct {
		n    int
		what string
	}{
		{len(result.Runs), "runs"}, {result.EventFiles, "files of events"}, {result.MemoryRows, "rows of memory"},
		{result.SpecVersions, "versions of the specification"}, {result.Snapshots, "snapshots"},
		{result.LedgerEntries, "entries of the ledger"}, {result.Trees, "scratch trees"},
	} {
		if part.n > 0 {
			fmt.Fprintf(t.Out, "%6d %s %s\n", part.n, part.what, verb)
		}
	}
	if result.MemoryReduced > 0 {
		fmt.Fprintf(t.Out, "%6d rows of memory reduced to a synopsis\n", result.MemoryReduced)
	}
	if result.ShadowLeft != "" {
		fmt.Fprintf(t.Err, "[forge] snapshots and the ledger stay as they are: %s\n", inert.Text(result.ShadowLeft))
	}
	if result.OverQuota > 0 {
		fmt.Fprintf(t.Err, "[forge] what must be kept is %s more than the limit of %s\n", service.Bytes(result.OverQuota), service.Bytes(history.DefaultQuota))
	}
	return printBytes(t, result)
}

func printBytes(t terminal.Terminal, r api.GCResult) error {
	if r.DryRun {
		_, err := fmt.Fprintf(t.Out, "%s are kept; nothing was removed\n", service.Bytes(r.BytesBefore))
		return err
	}
	_, err := fmt.Fprintf(t.Out, "%s freed: %s before, %s now\n",
		service.Bytes(max(0, r.BytesBefore-r.BytesAfter)), service.Bytes(r.BytesBefore), service.Bytes(r.BytesAfter))
	return err
}

package keep

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine/history"
	"forge/internal/inert"
)

// NewGC returns the command forge gc.
func NewGC(t terminal.Terminal) *cobra.Command {
	var dryRun bool
	c := terminal.Stored(t, cobra.Command{
		Use:   "gc",
		Short: "Delete stored data of a folder that nothing needs any more, and report the freed bytes",
		Long: fmt.Sprintf(`Delete stored data of a folder that nothing needs any more: runs, and entries of the ledger, that are older
than 90 days and not of the newest %d runs; expired memory; all but the last ten versions of the specification; snapshots that no run
uses. Conversations without a turn for 14 days are reduced to a synopsis. If snapshots, scratch trees and the ledger together take more
than %s, unused scratch trees go too, then entries of the ledger beyond one of the two bounds. Your files are not changed.
docs/runs.md lists how long Forge stores what.`, history.KeptRuns, size(history.DefaultQuota)),
		Example: "  forge gc --dry-run",
		Args:    cobra.NoArgs,
	}, func(ctx context.Context, o terminal.Opened) (api.GCResult, error) {
		return service.GC(ctx, o.Engine, o.In, &api.GCArgs{DryRun: dryRun})
	}, printCollected)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only report what would be deleted")
	return c
}

func printCollected(t terminal.Terminal, result api.GCResult) error {
	removed, reduced := "removed", "reduced to a synopsis"
	if result.DryRun {
		removed, reduced = "would be removed", "would be reduced to a synopsis"
	}
	for _, part := range []struct {
		n               int
		one, more, what string
	}{
		{len(result.Runs), "run", "runs", removed}, {result.EventFiles, "file of events", "files of events", removed},
		{result.MemoryRows, "row of memory", "rows of memory", removed},
		{result.SpecVersions, "version of the specification", "versions of the specification", removed},
		{result.Snapshots, "snapshot", "snapshots", removed}, {result.LedgerEntries, "entry of the ledger", "entries of the ledger", removed},
		{result.Trees, "scratch tree", "scratch trees", removed},
		{result.MemoryReduced, "row of memory", "rows of memory", reduced}, {result.Conversations, "conversation", "conversations", reduced},
	} {
		switch part.n {
		case 0:
		case 1:
			fmt.Fprintf(t.Out, "%6d %s %s\n", part.n, part.one, part.what)
		default:
			fmt.Fprintf(t.Out, "%6d %s %s\n", part.n, part.more, part.what)
		}
	}
	if result.ShadowLeft != "" {
		fmt.Fprintf(t.Err, "[forge] snapshots and the ledger were not collected: %s\n", inert.Text(result.ShadowLeft))
	}
	if result.OverQuota > 0 {
		fmt.Fprintf(t.Err, "[forge] the data that must be kept exceeds the limit by %s (limit %s)\n", size(result.OverQuota), size(history.DefaultQuota))
	}
	return printBytes(t, result)
}

func printBytes(t terminal.Terminal, r api.GCResult) error {
	if r.DryRun {
		_, err := fmt.Fprintf(t.Out, "%s stored; nothing was deleted\n", size(r.BytesBefore))
		return err
	}
	_, err := fmt.Fprintf(t.Out, "%s freed: %s before, %s now\n",
		size(max(0, r.BytesBefore-r.BytesAfter)), size(r.BytesBefore), size(r.BytesAfter))
	return err
}

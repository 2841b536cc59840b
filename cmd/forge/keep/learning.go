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
	"forge/internal/inert"
	"forge/memory"
)

func newMemoryDecay(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	return f.command(t, cobra.Command{
		Use: "decay", Short: "Show what has faded of the confidence of patterns, most faded first",
		Long: fmt.Sprintf(`Show what has faded of the confidence of patterns, most faded first. A confidence fades by itself: ×0.95 for each 30 days
without a verdict of a gate. Models see patterns from %.2f; forge memory prune deletes those below a limit.`, memory.PromptConfidence),
		Example: "  forge memory decay", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		result, err := service.ShowDecay(ctx, e, in, &api.MemoryScopeArgs{Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryResult) error { return printDecay(t, r.Rows) })
	})
}

func printDecay(t terminal.Terminal, rows []api.MemoryRow) error {
	if len(rows) == 0 {
		fmt.Fprintln(t.Err, "[forge] nothing was learned here yet")
		return nil
	}
	cells := [][]string{{"ID", "COUNTED", "NOW", "LAST VERDICT", "WHAT"}}
	for _, row := range rows {
		age := service.Ago(time.Since(terminal.When(row.Updated)))
		cells = append(cells, []string{row.ID, fmt.Sprintf("%.2f", row.Counted), fmt.Sprintf("%.2f", row.Confidence), age, row.Category + ": " + terminal.OneLine(row.Text)})
	}
	return terminal.Table(t.Out, cells)
}

func newMemoryClear(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	var yes bool
	c := f.command(t, cobra.Command{
		Use: "clear-learning", Short: "Delete all patterns permanently; entries, playbooks and tasks are kept",
		Example: "  forge memory clear-learning --yes", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		rows, err := service.ShowDecay(ctx, e, in, &api.MemoryScopeArgs{Scope: f.scope})
		if err != nil {
			return terminal.Explained(err)
		}
		if len(rows.Rows) > 0 {
			question := fmt.Sprintf("Delete %s permanently?", event.Count(len(rows.Rows), "pattern"))
			if err := terminal.Consent(ctx, t, question, "deleted", yes); err != nil {
				return err
			}
		}
		result, err := service.ClearLearning(ctx, e, in, &api.ClearLearningArgs{Yes: true, Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryCount) error {
			_, err := fmt.Fprintf(t.Err, "[forge] %s deleted\n", event.Count(r.Rows, "pattern"))
			return err
		})
	})
	c.Flags().BoolVar(&yes, "yes", false, "delete them without asking")
	return c
}

func newMemoryIndex(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	return f.command(t, cobra.Command{
		Use: "index", Short: "Rebuild the word index of memory", Example: "  forge memory index", Args: cobra.NoArgs,
		Long: "Rebuild the word index of memory. Forge keeps it current; use this for a file that was repaired or copied.\n" +
			"The index over the files of the folder is another one: forge search keeps it current.",
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		result, err := service.IndexMemory(ctx, e, in, &api.MemoryScopeArgs{Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryCount) error {
			_, err := fmt.Fprintf(t.Err, "[forge] %s indexed\n", event.Count(r.Rows, "row"))
			return err
		})
	})
}

func newMemoryPrune(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	var a api.PruneArgs
	c := f.command(t, cobra.Command{
		Use: "prune", Short: "Delete patterns with a low confidence, and expired rows",
		Example: "  forge memory prune --below 0.3 --dry-run", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		if a.Below == 0 { // in a request it means the default
			return terminal.ExitWith(terminal.ExitUsage, "--below 0: want a confidence above 0, at most 1")
		}
		a.Scope = f.scope
		result, err := service.PruneMemory(ctx, e, in, &a)
		return terminal.Shown(t, f.JSON, result, err, func(r api.PruneResult) error { return printPruned(t, r) })
	})
	c.Flags().Float64Var(&a.Below, "below", memory.HiddenBelow, "delete patterns with a lower confidence; above 0, at most 1")
	c.Flags().BoolVar(&a.DryRun, "dry-run", false, "only report what would be deleted")
	return c
}

func printPruned(t terminal.Terminal, r api.PruneResult) error {
	verb := "deleted"
	if r.DryRun {
		verb = "would be deleted"
	}
	for _, row := range r.Patterns {
		if _, err := fmt.Fprintf(t.Out, "%s  %.2f  %s: %s\n", row.ID, row.Confidence, row.Category, inert.Text(terminal.OneLine(row.Text))); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(t.Err, "[forge] %s and %s %s\n", event.Count(len(r.Patterns), "pattern"), event.Count(r.Expired, "expired row"), verb)
	return err
}

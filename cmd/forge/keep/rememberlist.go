package keep

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/history"
	"forge/memory"
)

func newMemoryList(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	c := f.addKey(f.command(t, cobra.Command{
		Use: "list", Short: "List what is remembered", Example: "  forge memory list --tier long --prefix build.", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		result, err := service.ListMemory(ctx, e, in, &api.MemoryListArgs{
			Kind: f.kind, Tier: f.tier, Agent: f.agent, Prefix: f.prefix, Limit: f.limit, Scope: f.scope,
		})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryResult) error { return printRows(t, r.Rows, "nothing is remembered") })
	}))
	c.Flags().StringVar(&f.kind, "kind", "", "only this: "+names(kinds))
	c.Flags().StringVar(&f.prefix, "prefix", "", "only entries whose keys begin so")
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, "how many at most; 0 for all")
	return c
}

func printRows(t terminal.Terminal, rows []api.MemoryRow, none string) error {
	if len(rows) == 0 {
		fmt.Fprintf(t.Err, "[forge] %s\n", none)
		return nil
	}
	cells := [][]string{{"ID", "SCOPE", "WHAT", "TEXT"}}
	for _, row := range rows {
		cells = append(cells, []string{row.ID, row.Scope, whatRow(row), oneLine(row.Text)})
	}
	return terminal.Table(t.Out, cells)
}

// whatRow names a row in a few words.
func whatRow(row api.MemoryRow) string {
	switch history.MemoryKind(row.Kind) {
	case history.Entries:
		name := row.Tier + " " + row.Key
		if row.Agent != "" {
			name += " of " + row.Agent
		}
		return name
	case history.Patterns:
		return fmt.Sprintf("%s %.2f", row.Category, row.Confidence)
	case history.Playbooks:
		return "playbook " + row.Title
	}
	return row.Kind
}

// oneLine is the beginning of a text.
func oneLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	const width = 72
	if runes := []rune(line); len(runes) > width {
		line, more = string(runes[:width]), true
	}
	if more {
		line += "…"
	}
	return line
}

func newMemorySearch(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = `forge memory search "the build command"`
	c := f.command(t, cobra.Command{
		Use: "search TEXT…", Short: "Find what is remembered about a text, the best first", Example: "  " + example,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return fmt.Errorf("there is nothing to search for: say it in plain words, as in\n  %s", example)
			}
			return nil
		},
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		result, err := service.SearchMemory(ctx, e, in, &api.MemorySearchArgs{Text: strings.Join(args, " "), Limit: f.limit, Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryResult) error {
			return printRows(t, r.Rows, "nothing that is remembered has to do with that")
		})
	})
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, fmt.Sprintf("how many at most; %d without it", memory.RecallLimit))
	return c
}

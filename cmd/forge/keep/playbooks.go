package keep

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine/history"
	"forge/internal/inert"
)

// NewPlaybooks returns the command forge playbooks.
func NewPlaybooks(t terminal.Terminal) *cobra.Command {
	c := terminal.Stored(t, cobra.Command{
		Use:   "playbooks",
		Short: "List playbooks: how similar work was done; runs are shown those that fit",
		Long: `List playbooks: how similar work was done. forge extract makes them from runs, and forge memory import reads others. A run is
shown at most five: those that share two of their tags with its task, or all.`,
		Example: "  forge playbooks\n  forge playbooks show playbook-1",
		Args:    cobra.NoArgs,
	}, func(ctx context.Context, o terminal.Opened) (api.MemoryResult, error) {
		return service.Playbooks(ctx, o.Engine, o.In, &api.PlaybooksArgs{})
	}, func(t terminal.Terminal, r api.MemoryResult) error { return printPlaybooks(t, r.Rows) })
	c.AddCommand(newPlaybooksShow(t))
	return c
}

func printPlaybooks(t terminal.Terminal, rows []api.MemoryRow) error {
	if len(rows) == 0 {
		fmt.Fprintln(t.Err, "[forge] there are no playbooks; forge extract makes them from runs whose changes you accepted")
		return nil
	}
	cells := [][]string{{"ID", "SCOPE", "CHANGED", "TITLE", "TAGS"}}
	for _, row := range rows {
		cells = append(cells, []string{row.ID, row.Scope, service.Ago(time.Since(terminal.When(row.Updated))), terminal.OneLine(row.Title), strings.Join(row.Tags, ", ")})
	}
	return terminal.Table(t.Out, cells)
}

func newPlaybooksShow(t terminal.Terminal) *cobra.Command {
	const example = "forge playbooks show playbook-1"
	return terminal.Stored(t, cobra.Command{
		Use: "show ID", Short: "Show a playbook, by its id or its title", Example: "  " + example, Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, o terminal.Opened) (api.MemoryResult, error) {
		return service.Playbooks(ctx, o.Engine, o.In, &api.PlaybooksArgs{ID: o.Args[0]})
	}, func(t terminal.Terminal, r api.MemoryResult) error {
		for _, row := range r.Rows {
			printPlaybook(t, row.Title, row.Tags, row.Source, row.Text)
		}
		return nil
	})
}

func printPlaybook(t terminal.Terminal, title string, tags []string, source, content string) {
	fmt.Fprintf(t.Out, "# %s\n", inert.Text(title))
	if len(tags) > 0 {
		fmt.Fprintf(t.Out, "tags: %s\n", inert.Text(strings.Join(tags, ", ")))
	}
	fmt.Fprintf(t.Out, "from: %s\n\n%s\n", inert.Text(source), strings.TrimSpace(inert.Text(content)))
}

// NewExtract returns the command forge extract.
func NewExtract(t terminal.Terminal) *cobra.Command {
	var a api.ExtractArgs
	c := terminal.Stored(t, cobra.Command{
		Use:   "extract",
		Short: "Make playbooks from runs whose changes you accepted, without a model",
		Long: `Make playbooks from runs whose changes you accepted and did not undo: what the task was, which files it changed, which checks
failed on the way, and what solved them. It asks no model. A playbook of yours with the same title stays as it is.`,
		Example: "  forge extract --since 24h --limit 10 --dry-run",
		Args:    cobra.NoArgs,
	}, func(ctx context.Context, o terminal.Opened) (api.ExtractResult, error) {
		if a.Limit == 0 { // in a request it means the default
			return api.ExtractResult{}, terminal.ExitWith(terminal.ExitUsage, "--limit 0: want at least 1")
		}
		return service.Extract(ctx, o.Engine, o.In, time.Now(), &a)
	}, printExtracted)
	c.Flags().StringVar(&a.Since, "since", "24h", "runs that ended since: "+service.Periods)
	c.Flags().IntVar(&a.Limit, "limit", 10, "limit of runs, newest first")
	c.Flags().BoolVar(&a.DryRun, "dry-run", false, "print them and store nothing")
	return c
}

// extracted says for users what became of an extracted playbook.
var extracted = map[history.ExtractState]string{
	history.ExtractNew: "new", history.ExtractChanged: "replaces the one of an earlier run", history.ExtractKnown: "known already",
	history.ExtractYours: "you have a playbook of this title, which stays",
}

func printExtracted(t terminal.Terminal, r api.ExtractResult) error {
	if len(r.Playbooks) == 0 {
		fmt.Fprintln(t.Err, "[forge] no run with an accepted change has ended in this time: forge extract --since \"2 weeks\"")
		return nil
	}
	for _, p := range r.Playbooks {
		state := history.ExtractState(p.State)
		if state == history.ExtractKnown || state == history.ExtractYours {
			fmt.Fprintf(t.Out, "%s %s: %s\n", p.ID, inert.Text(p.Title), extracted[state])
			continue
		}
		stored := p.ID
		stored = cmp.Or(stored, "not stored")
		fmt.Fprintf(t.Out, "%s, %s\n", stored, extracted[state])
		printPlaybook(t, p.Title, p.Tags, "run "+p.RunID, p.Content)
		fmt.Fprintln(t.Out)
	}
	return nil
}

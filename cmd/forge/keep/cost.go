package keep

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/spend"
)

// kindsOfCost are the values of --by.
var kindsOfCost = []string{string(spend.ByModel), string(spend.ByRun), string(spend.ByDay), string(spend.ByNode)}

// NewCost returns the command forge cost.
func NewCost(t terminal.Terminal) *cobra.Command {
	var a api.CostArgs
	var asJSON bool
	c := &cobra.Command{
		Use:   "cost",
		Short: "Show what models have cost, in all folders",
		Long: `Show what models have cost, in all folders: each request that was sent to a provider, including failed ones.

Prices come from prices.yaml in Forge's own folder, then from Forge's own list. Models on this machine cost
nothing. Unknown prices are marked; a limit in dollars counts them at the highest known price.`,
		Example: `  forge cost
  forge cost --since 24h --by run
  forge cost --run r-4f1c0a72 --by node --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(kindsOfCost, a.By) {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--by %s: want model, run, day or node", a.By))
			}
			return terminal.Explained(terminal.InFolder(t, ".", func(e *engine.Engine, _ string) error {
				result, err := service.ShowCost(c.Context(), e, time.Now(), &a)
				return terminal.Shown(t, asJSON, result, err, func(r api.CostResult) error { return printCosts(t, r, a.By) })
			}))
		},
	}
	c.Flags().StringVar(&a.RunID, "run", "", "only this run")
	c.Flags().StringVar(&a.Since, "since", "", "only requests of this period: 90m, 24h, 7d")
	c.Flags().StringVar(&a.By, "by", string(spend.ByModel), "group by model, run, day or node")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func printCosts(t terminal.Terminal, costs api.CostResult, by string) error {
	if len(costs.Rows) == 0 {
		fmt.Fprintln(t.Err, "[forge] no costs")
		return nil
	}
	rows := [][]string{{headOf[spend.By(by)], "CALLS", "TOKENS", "CACHED", "COST"}}
	for _, r := range append(costs.Rows, costs.Total) {
		rows = append(rows, []string{
			r.Name, strconv.Itoa(r.Attempts), strconv.FormatInt(r.Tokens, 10), strconv.Itoa(r.CacheReadTokens), r.Cost.Text,
		})
	}
	if err := terminal.Table(t.Out, rows); err != nil {
		return err
	}
	if held := costs.Total.HeldTokens; held > 0 {
		fmt.Fprintf(t.Err, "[forge] %d of the tokens are of interrupted requests, counted at their maximum\n", held)
	}
	return nil
}

var headOf = map[spend.By]string{spend.ByModel: "MODEL", spend.ByRun: "RUN", spend.ByDay: "DAY", spend.ByNode: "NODE"}

// NewCache returns the command forge cache.
func NewCache(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "Manage cached model answers",
		Long: `Manage cached model answers. A repeated request at temperature 0 is answered from the cache and costs
nothing; clear the cache to send it again.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:     "clear",
		Short:   "Delete all cached answers",
		Example: `  forge cache clear`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return terminal.Explained(terminal.InFolder(t, ".", func(e *engine.Engine, _ string) error {
				cleared, err := service.ClearCache(c.Context(), e, &api.NoArgs{})
				if err == nil {
					fmt.Fprintf(t.Err, "[forge] %s\n", forgotten(cleared.Answers))
				}
				return err
			}))
		},
	})
	return c
}

func forgotten(n int) string {
	switch n {
	case 0:
		return "the cache was empty"
	case 1:
		return "1 cached answer was deleted"
	}
	return fmt.Sprintf("%d cached answers were deleted", n)
}

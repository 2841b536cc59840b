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

// kindsOfCost are the kinds by which costs are added up.
var kindsOfCost = []string{string(spend.ByModel), string(spend.ByRun), string(spend.ByDay), string(spend.ByNode)}

// NewCost returns the command forge cost.
func NewCost(t terminal.Terminal) *cobra.Command {
	var a api.CostArgs
	var asJSON bool
	c := &cobra.Command{
		Use:   "cost",
		Short: "Add up what was spent on models, in all folders",
		Long: `Add up what was spent on models, in all folders: each attempt that went to a provider, failed ones included.

Prices are those that Forge knows, and before them those of prices.yaml in Forge's own folder. Models on this machine cost
nothing. Where a price is not known, that is said, and a limit in dollars counts it as the dearest price there is.`,
		Example: `  forge cost
  forge cost --since 24h --by run
  forge cost --run r-4f1c0a72 --by node --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains(kindsOfCost, a.By) {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--by %s: there are model, run, day and node", a.By))
			}
			return terminal.Explained(terminal.InFolder(t, ".", func(e *engine.Engine, _ string) error {
				result, err := service.ShowCost(c.Context(), e, time.Now(), &a)
				return terminal.Shown(t, asJSON, result, err, func(r api.CostResult) error { return printCosts(t, r, a.By) })
			}))
		},
	}
	c.Flags().StringVar(&a.RunID, "run", "", "only of this run")
	c.Flags().StringVar(&a.Since, "since", "", "only what was begun since so long: 90m, 24h, 7d")
	c.Flags().StringVar(&a.By, "by", string(spend.ByModel), "add up by model, run, day or node")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func printCosts(t terminal.Terminal, costs api.CostResult, by string) error {
	if len(costs.Rows) == 0 {
		fmt.Fprintln(t.Err, "[forge] nothing was spent")
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
		fmt.Fprintf(t.Err, "[forge] %d of the tokens are of calls that were cut off, at the most they can have cost\n", held)
	}
	return nil
}

var headOf = map[spend.By]string{spend.ByModel: "MODEL", spend.ByRun: "RUN", spend.ByDay: "DAY", spend.ByNode: "NODE"}

// NewCache returns the command forge cache.
func NewCache(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "Look after the answers of models that are kept",
		Long: `Look after the answers of models that are kept, so that the same question at temperature 0 is bought once. A question that
was answered before costs nothing, and is not asked; clear the answers to have it asked anew.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:     "clear",
		Short:   "Forget the answers that are kept",
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
		return "no answers were kept"
	case 1:
		return "1 answer is forgotten"
	}
	return fmt.Sprintf("%d answers are forgotten", n)
}

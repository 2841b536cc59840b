package keep

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
)

// iterationFlags choose attempts of runs, and what is done with them.
type iterationFlags struct {
	terminal.KeptFlags
	run, node  string
	reset, yes bool
}

// NewIterations returns the command forge iterations.
func NewIterations(t terminal.Terminal) *cobra.Command {
	var f iterationFlags
	c := &cobra.Command{
		Use:   "iterations [RUN]",
		Short: "List how the attempts of runs came out, node by node, or forget those of a run",
		Long: `List how the attempts of a run came out, node by node; without a name of all runs of the folder, the last begun first. CLASS is
why the attempt before failed. Runs themselves keep their attempts, each as soon as its gates have spoken, and they go a day after
the run has ended.

With --reset those of a run are forgotten. That moves no run: what a run does next follows from its own journal.`,
		Example: `  forge iterations
  forge iterations r-4f1c0a72 --node executor
  forge iterations r-4f1c0a72 --reset`,
		Args: terminal.AtMostOne("one run at a time"),
		RunE: func(c *cobra.Command, args []string) error {
			f.run = terminal.First(args)
			if f.reset && f.run == "" {
				return terminal.ExitWith(terminal.ExitUsage, "say which run's attempts are to be forgotten, as in\n  forge iterations r-4f1c0a72 --reset")
			}
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.Iterations(c.Context(), e, in, f.args(false))
				if f.reset && err == nil {
					return f.forget(c.Context(), t, e, in, len(result.Iterations))
				}
				return terminal.Shown(t, f.JSON, result, err, func(r api.IterationsResult) error { return f.print(t, r.Iterations) })
			})
		},
	}
	f.Add(c)
	c.Flags().StringVar(&f.node, "node", "", "only of this node, such as executor, or pay/executor of a part of a plan")
	c.Flags().BoolVar(&f.reset, "reset", false, "forget them")
	c.Flags().BoolVar(&f.yes, "yes", false, "forget them without asking")
	return c
}

func (f iterationFlags) args(reset bool) *api.IterationsArgs {
	return &api.IterationsArgs{RunID: f.run, Node: f.node, Reset: reset}
}

func (f iterationFlags) print(t terminal.Terminal, attempts []api.Iteration) error {
	if len(attempts) == 0 {
		fmt.Fprintf(t.Err, "[forge] no attempts of %s are kept: a run has some when its gates have spoken, until a day after its end\n", f.what())
		return nil
	}
	rows := [][]string{{"RUN", "NODE", "ATTEMPT", "ACCEPTED", "PASSED", "SCORE", "CLASS", "FAILED", "REASON"}}
	for _, i := range attempts {
		rows = append(rows, []string{
			i.RunID, i.Node, strconv.Itoa(i.Attempt), yesNo(i.Accepted), fmt.Sprintf("%d/%d", i.Passed, i.Total), fmt.Sprintf("%.2f", i.Score),
			i.Class, oneLine(firstOf(i.Failures)), oneLine(i.Reason),
		})
	}
	return terminal.Table(t.Out, rows)
}

// forget forgets what is chosen, n attempts, if the user wants it.
func (f iterationFlags) forget(ctx context.Context, t terminal.Terminal, e *engine.Engine, in service.Folder, n int) error {
	result := api.IterationsOf(nil)
	if n > 0 {
		question := fmt.Sprintf("Forget %d attempts of %s?", n, f.what())
		err := terminal.Consent(ctx, t, question, "forgotten", f.yes)
		if err == nil {
			result, err = service.Iterations(ctx, e, in, f.args(true))
		}
		if err != nil {
			return err
		}
	}
	return terminal.Shown(t, f.JSON, result, nil, func(r api.IterationsResult) error {
		_, err := fmt.Fprintf(t.Out, "%d attempts of %s are forgotten\n", r.Forgotten, f.what())
		return err
	})
}

// what describes the choice of the user.
func (f iterationFlags) what() string {
	var words []string
	if f.node != "" {
		words = append(words, "node", f.node, "of")
	}
	if f.run == "" {
		return strings.Join(append(words, "the folder's runs"), " ")
	}
	return strings.Join(append(words, "run", f.run), " ")
}

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

// iterationFlags select attempts of runs and an action on them.
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
		Short: "List the results of the attempts of runs by node, or delete those of a run",
		Long: `List the results of the attempts of a run by node; without an argument, of all runs of the folder, newest first. CLASS is
why the previous attempt failed. A run stores each attempt as soon as its gates have finished; attempts are deleted a day after
the run has ended.

--reset deletes the attempts of a run. The run itself is not changed: it continues from its own journal.`,
		Example: `  forge iterations
  forge iterations r-4f1c0a72 --node executor
  forge iterations r-4f1c0a72 --reset`,
		Args: terminal.AtMostOne("one run at a time"),
		RunE: func(c *cobra.Command, args []string) error {
			f.run = terminal.First(args)
			if f.reset && f.run == "" {
				return terminal.ExitWith(terminal.ExitUsage, "--reset needs a run, as in\n  forge iterations r-4f1c0a72 --reset")
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
	c.Flags().StringVar(&f.node, "node", "", "only this node, such as executor, or pay/executor in a plan")
	c.Flags().BoolVar(&f.reset, "reset", false, "delete the attempts of a run")
	c.Flags().BoolVar(&f.yes, "yes", false, "delete them without asking")
	terminal.Needs(c, "yes", "reset")
	return c
}

func (f iterationFlags) args(reset bool) *api.IterationsArgs {
	return &api.IterationsArgs{RunID: f.run, Node: f.node, Reset: reset}
}

func (f iterationFlags) print(t terminal.Terminal, attempts []api.Iteration) error {
	if len(attempts) == 0 {
		fmt.Fprintf(t.Err, "[forge] no attempts of %s are stored: a run stores each when its gates have finished, and keeps them until a day after its end\n", f.what())
		return nil
	}
	rows := [][]string{{"RUN", "NODE", "ATTEMPT", "ACCEPTED", "PASSED", "SCORE", "CLASS", "FAILED", "REASON"}}
	for _, i := range attempts {
		rows = append(rows, []string{
			i.RunID, i.Node, strconv.Itoa(i.Attempt), yesNo(i.Accepted), fmt.Sprintf("%d/%d", i.Passed, i.Total), fmt.Sprintf("%.2f", i.Score),
			i.Class, terminal.OneLine(firstOf(i.Failures)), terminal.OneLine(i.Reason),
		})
	}
	return terminal.Table(t.Out, rows)
}

// forget deletes the n selected attempts after the user has consented.
func (f iterationFlags) forget(ctx context.Context, t terminal.Terminal, e *engine.Engine, in service.Folder, n int) error {
	result := api.IterationsOf(nil)
	if n > 0 {
		question := fmt.Sprintf("Delete %d attempts of %s?", n, f.what())
		err := terminal.Consent(ctx, t, question, "forgotten", f.yes)
		if err == nil {
			result, err = service.Iterations(ctx, e, in, f.args(true))
		}
		if err != nil {
			return err
		}
	}
	return terminal.Shown(t, f.JSON, result, nil, func(r api.IterationsResult) error {
		_, err := fmt.Fprintf(t.Out, "%d attempts of %s were deleted\n", r.Forgotten, f.what())
		return err
	})
}

// what describes the selection.
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

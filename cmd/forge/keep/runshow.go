package keep

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

// runShowFlags are the flags of forge runs show.
type runShowFlags struct {
	terminal.KeptFlags
	call   int
	report bool
}

// newRunShow returns the command forge runs show.
func newRunShow(t terminal.Terminal) *cobra.Command {
	var f runShowFlags
	c := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show a run and its calls of models, by default the newest of the folder",
		Example: `  forge runs show r-4f1c0a72
  forge runs show r-4f1c0a72 --call 3
  forge runs show --report > report.md`,
		Args: terminal.AtMostOne("one run to show"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.call < 0 || c.Flags().Changed("call") && f.call == 0 {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--call %d: want the number of a call, from 1", f.call))
			}
			if f.call > 0 && f.report {
				return terminal.ExitWith(terminal.ExitUsage, "--call and --report exclude each other")
			}
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				shown, err := showRun(c.Context(), e, in.Path, api.RunShowArgs{RunID: terminal.First(args), Call: f.call, Report: f.report})
				return terminal.Shown(t, f.JSON, shown, err, f.printer(t))
			})
		},
	}
	f.Add(c)
	c.Flags().IntVar(&f.call, "call", 0, "print the prompt and the answer of the call with this number")
	c.Flags().BoolVar(&f.report, "report", false, "print a report: what was asked, done, checked and learned, and what it cost; Markdown")
	return c
}

// showRun answers forge.runs.show for the named run, or else for the newest of a folder.
func showRun(ctx context.Context, e *engine.Engine, root string, a api.RunShowArgs) (shown api.RunShown, err error) {
	if a.RunID, err = newest(ctx, e, root, a.RunID); err != nil {
		return shown, err
	}
	return service.ShowRun(ctx, e, &a)
}

// printer returns how the flags print a run.
func (f *runShowFlags) printer(t terminal.Terminal) func(api.RunShown) error {
	return func(r api.RunShown) error {
		switch {
		case f.report:
			_, err := fmt.Fprint(t.Out, inert.Text(r.Report))
			return err
		case r.Exchange != nil:
			return printExchange(t, r)
		}
		return printRun(t, r)
	}
}

func printRun(t terminal.Terminal, r api.RunShown) error {
	run := r.Run
	rows := [][]string{{"run", run.RunID}, {"task", run.Task}, {"state", stateAndBatch(run)}}
	for _, more := range [][]string{
		{"reason", run.Reason}, {"work", wayOf(run.Recipe, run.Mode, run.Profile)}, {"folder", api.FilePath(run.Folder)},
		{"began", service.Ago(time.Since(terminal.When(run.Started)))},
	} {
		if more[1] != "" {
			rows = append(rows, more)
		}
	}
	rows = append(rows, []string{"cost", fmt.Sprintf("%s, %d tokens", run.Cost, run.Tokens)}, []string{"files", strconv.Itoa(run.Files)})
	if err := terminal.Table(t.Out, rows); err != nil || len(r.Calls) == 0 {
		return err
	}
	fmt.Fprintln(t.Out)
	calls := [][]string{{"CALL", "NODE", "PURPOSE", "MODEL", "IN", "CACHED", "OUT", "TIME", "COST", "RESULT"}}
	for _, c := range r.Calls {
		calls = append(calls, callRow(c))
	}
	return terminal.Table(t.Out, calls)
}

// callRow is the row of a call.
func callRow(c api.ModelCall) []string {
	node, purpose, result := c.Node, c.Purpose, c.State
	if c.Attempt > 1 {
		node += fmt.Sprintf(" (attempt %d)", c.Attempt)
	}
	if c.Round > 0 {
		purpose += fmt.Sprintf(" (repair %d)", c.Round)
	}
	switch {
	case c.Failure != "":
		result += ": " + c.Failure
	case c.Cached:
		result += " from Forge's cache"
	}
	if c.Replaced {
		result += ", replaced by a retry"
	}
	return []string{
		strconv.Itoa(c.Number), node, purpose, c.Model, strconv.Itoa(c.InputTokens + c.CacheReadTokens + c.CacheWriteTokens), strconv.Itoa(c.CacheReadTokens),
		strconv.Itoa(c.OutputTokens), (time.Duration(c.ElapsedMS) * time.Millisecond).String(), c.Cost.Text, result,
	}
}

// printExchange prints the prompt and the answer of a call.
func printExchange(t terminal.Terminal, r api.RunShown) error {
	x := r.Exchange
	call := r.Calls[x.Number-1]
	fmt.Fprintf(t.Out, "call %d of run %s: %s, attempt %d: %s\n\n", x.Number, inert.Text(r.Run.RunID), inert.Text(call.Node), call.Attempt, inert.Text(call.Purpose))
	if x.Prompt != nil {
		fmt.Fprint(t.Out, inert.Text(x.Prompt.Document()))
	} else {
		fmt.Fprintf(t.Err, "[forge] the prompt is not shown: %s\n", inert.Text(x.Missing))
	}
	answer := x.Answer
	if call.State != "answered" {
		answer = "(" + call.State + ") " + call.Failure
	}
	_, err := fmt.Fprintf(t.Out, "\n──── answer of %s ────\n%s\n", inert.Text(call.Model), inert.Text(answer))
	return err
}

// NewCommitMessage returns the command forge commit-message.
func NewCommitMessage(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use:   "commit-message [RUN]",
		Short: "Print a commit message for the change of a run, by default the newest of the folder",
		Long: "Prints a commit message for the change of a run: the task, the files, and the checks that it has passed. Uses no model.\n" +
			"Forge never commits: pass the message to git yourself.",
		Example: `  forge commit-message
  forge commit-message r-4f1c0a72 | git commit -F -`,
		Args: terminal.AtMostOne("one run"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				shown, err := showRun(c.Context(), e, in.Path, api.RunShowArgs{RunID: terminal.First(args)})
				if err == nil && shown.CommitMessage == "" {
					err = terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("run %s has no change to commit", shown.Run.RunID))
				}
				if err != nil {
					return err
				}
				if f.JSON {
					return terminal.WriteJSON(t.Out, map[string]string{"runId": shown.Run.RunID, "commitMessage": shown.CommitMessage})
				}
				_, err = fmt.Fprint(t.Out, inert.Text(shown.CommitMessage))
				return err
			})
		},
	}
	f.Add(c)
	return c
}

package keep

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
)

// NewBatches returns the command forge batch.
func NewBatches(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "batch",
		Short: "Look after requests that providers answer within a day, for less",
		Long: `Look after requests that providers answer within a day, for less. A tier of models is asked that way when the settings say
delivery: batch for it. A run that waits may be stopped, and resumed days later: it finds its answers.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBatchList(t), newBatchPoll(t))
	return c
}

func newBatchList(t terminal.Terminal) *cobra.Command {
	var a api.BatchListArgs
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the batches of all folders, the newest first",
		Example: `  forge batch list
  forge batch list --open --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return terminal.Explained(terminal.InFolder(t, ".", func(e *engine.Engine, _ string) error {
				result, err := service.ListBatches(c.Context(), e, &a)
				return terminal.Shown(t, asJSON, result, err, func(r api.BatchesResult) error { return printBatches(t, r) })
			}))
		},
	}
	c.Flags().StringVar(&a.RunID, "run", "", "only those that this run waits for")
	c.Flags().BoolVar(&a.Open, "open", false, "only those whose answers are still to come")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func newBatchPoll(t terminal.Terminal) *cobra.Command {
	var wait, asJSON bool
	c := &cobra.Command{
		Use:   "poll [BATCH]",
		Short: "Ask providers now how batches are, and keep the answers that are there",
		Long: `Ask providers now how batches are, and keep the answers that are there: a run that is resumed finds them. Nothing is
submitted. Without a name these are all that are open.`,
		Example: `  forge batch poll
  forge batch poll msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d --wait`,
		Args: terminal.AtMostOne("one batch at a time to ask about"),
		RunE: func(c *cobra.Command, args []string) error {
			return terminal.Explained(terminal.InFolder(t, ".", func(e *engine.Engine, _ string) error {
				result, err := service.PollBatches(c.Context(), e, waitingPrinter(t), &api.BatchPollArgs{ID: terminal.First(args), Wait: wait})
				err = terminal.Shown(t, asJSON, result, err, func(r api.BatchesResult) error { return printBatches(t, r) })
				if err == nil && result.Trouble != "" {
					return terminal.ExitWith(terminal.ExitFailed, result.Trouble)
				}
				return err
			}))
		},
	}
	c.Flags().BoolVar(&wait, "wait", false, "ask as often as is fit until they have ended, which may take a day")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// waitingPrinter prints the requests that are waited for, after each change.
func waitingPrinter(t terminal.Terminal) func(api.BatchesResult) {
	said := ""
	return func(now api.BatchesResult) {
		if text := waiting(now); text != said {
			said = text
			fmt.Fprintf(t.Err, "[forge] %s\n", text)
		}
	}
}

// waiting describes the requests that are waited for in a line.
func waiting(r api.BatchesResult) string {
	open, items := 0, 0
	for _, b := range r.Batches {
		if b.Ended == "" {
			open++
			items += b.Items
		}
	}
	if open == 0 {
		return "all answers are there"
	}
	return fmt.Sprintf("waiting for %d of %d batches, %d requests%s", open, len(r.Batches), items, event.Because(r.Trouble))
}

func printBatches(t terminal.Terminal, r api.BatchesResult) error {
	if len(r.Batches) == 0 {
		fmt.Fprintln(t.Err, "[forge] there are no batches")
		return nil
	}
	rows := [][]string{{"BATCH", "STATE", "PROVIDER", "MODEL", "REQUESTS", "ANSWERED", "MISSING", "AGE", "RUNS"}}
	for _, b := range r.Batches {
		rows = append(rows, []string{
			batchName(b), batchState(b), b.Provider, b.Model, strconv.Itoa(b.Items), strconv.Itoa(b.Answered), strconv.Itoa(b.Missing),
			age(b.Created), strings.Join(b.Runs, " "),
		})
	}
	if err := terminal.Table(t.Out, rows); err != nil {
		return err
	}
	for _, b := range r.Batches {
		if b.Trouble != "" && b.Ended == "" {
			fmt.Fprintf(t.Err, "[forge] %s%s\n", batchName(b), event.Because(b.Trouble))
		}
	}
	return nil
}

func batchName(b api.Batch) string {
	switch {
	case b.ID != "":
		return b.ID
	case b.Label != "":
		return b.Label
	}
	return "-"
}

func batchState(b api.Batch) string {
	if b.Cancelled {
		return b.State + ", cancelled"
	}
	return b.State
}

// age is how long ago a time on the wire is.
func age(stamp string) string {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return "-"
	}
	return service.Ago(time.Since(at))
}

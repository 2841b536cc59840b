package keep

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
)

// NewHistory returns the command forge history.
func NewHistory(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var a api.HistoryArgs
	c := &cobra.Command{
		Use:   "history [PERIOD]",
		Short: "List the tasks of a period, such as last week",
		Long: "List the tasks that were created or worked on in a period, last changed first; without a period those of last week. A week begins on\n" +
			"Monday. Periods: " + service.Periods + ".",
		Example: "  forge history \"last week\"\n  forge history 2026-11 --text refund",
		RunE: func(c *cobra.Command, args []string) error {
			if a.Limit < 0 {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--limit %d: want a number of tasks, or 0 for all", a.Limit))
			}
			if a.Period = strings.Join(args, " "); a.Period != "" {
				if _, err := service.ParsePeriod(a.Period, time.Now()); err != nil {
					return terminal.ExitWith(terminal.ExitUsage, err.Error())
				}
			}
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				result, err := service.History(c.Context(), e, in, time.Now(), &a)
				return terminal.Shown(t, f.JSON, result, err, func(r api.HistoryResult) error { return printHistory(t, in, r) })
			})
		},
	}
	f.Add(c)
	c.Flags().StringVar(&a.Text, "text", "", "only tasks with this text in their title or prompt")
	c.Flags().IntVarP(&a.Limit, "limit", "n", 0, "limit of tasks; 0 for all")
	return c
}

func printHistory(t terminal.Terminal, in service.Folder, r api.HistoryResult) error {
	const layout = "2006-01-02 15:04"
	span := "since " + terminal.When(r.From).Local().Format(layout)
	if r.To != "" {
		span = fmt.Sprintf("from %s to %s", terminal.When(r.From).Local().Format(layout), terminal.When(r.To).Local().Format(layout))
	}
	if len(r.Tasks) == 0 {
		fmt.Fprintf(t.Err, "[forge] no task in %s %s\n", in.Path, span)
		return nil
	}
	fmt.Fprintf(t.Err, "[forge] %s %s\n", event.Count(len(r.Tasks), "task"), span)
	return printTasks(t, in, r.Tasks, false)
}

package keep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
)

// logFlags are the flags of forge log.
type logFlags struct {
	terminal.KeptFlags
	node, phase, severity string
	follow                bool
	lines                 int
}

// NewLog returns the command forge log.
func NewLog(t terminal.Terminal) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "log [RUN]",
		Short: "Show the log of a run, by default the newest of the folder, also while another process executes it",
		Example: `  forge log
  forge log r-4f1c0a72 --node executor --severity error
  forge log -f`,
		Args: terminal.AtMostOne("one run to show"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				return f.show(c.Context(), t, e, in.Path, terminal.First(args))
			})
		},
	}
	f.Add(c)
	c.Flags().BoolVarP(&f.follow, "follow", "f", false, "follow the log until the run has ended")
	c.Flags().StringVar(&f.node, "node", "", "only lines of this node")
	c.Flags().StringVar(&f.phase, "phase", "", "only lines of this phase: "+strings.Join(service.LogPhases(), ", "))
	c.Flags().StringVar(&f.severity, "severity", "", "minimum severity: "+strings.Join(service.LogSeverities(), ", "))
	c.Flags().IntVarP(&f.lines, "lines", "n", 50, "number of lines from the end; 0 for all")
	return c
}

func (f *logFlags) check() error {
	if err := errors.Join(oneOf("--phase", f.phase, service.LogPhases()), oneOf("--severity", f.severity, service.LogSeverities())); err != nil {
		return err
	}
	switch {
	case f.lines < 0:
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--lines %d: want a number of lines, or 0 for all", f.lines))
	case f.follow && f.JSON:
		return terminal.ExitWith(terminal.ExitUsage, "--follow and --json exclude each other: forge events --follow prints JSON lines")
	}
	return nil
}

func (f *logFlags) show(ctx context.Context, t terminal.Terminal, e *engine.Engine, root, id string) error {
	id, events, err := eventsOf(ctx, e, root, id)
	if err != nil {
		return err
	}
	asked := f.asked()
	result := service.Log(id, events, &asked)
	if f.JSON {
		return terminal.WriteJSON(t.Out, result)
	}
	printLog(t.Out, result.Lines)
	if !f.follow {
		return nil
	}
	formatter := service.NewFormatter(&asked)
	for _, ev := range events { // the lines of an event depend on earlier events
		formatter.Format(ev)
	}
	for ev, err := range e.Follow(ctx, id, len(events)) {
		if err != nil {
			return err
		}
		printLog(t.Out, formatter.Format(ev))
	}
	return nil
}

// asked converts the flags to arguments of forge.log.
func (f *logFlags) asked() api.LogArgs {
	a := api.LogArgs{Node: f.node, Phase: f.phase, Severity: f.severity, Limit: f.lines}
	a.Limit = cmp.Or(a.Limit, math.MaxInt)
	return a
}

// printLog prints lines with the local time of day.
func printLog(out io.Writer, lines []api.LogLine) {
	for _, l := range lines {
		fmt.Fprintf(out, "%s  %s\n", terminal.When(l.TS).Local().Format("15:04:05"), l.Text)
	}
}

// NewEvents returns the command forge events.
func NewEvents(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	var follow bool
	const example = "forge events r-4f1c0a72 --follow"
	c := &cobra.Command{
		Use:     "events RUN",
		Short:   "Print the events of a run as JSON lines, as forge run --json does, which adds the result",
		Example: "  " + example,
		Args:    terminal.Exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			return f.With(t, func(e *engine.Engine, _ service.Folder) error { return printEvents(c.Context(), t, e, args[0], follow) })
		},
	}
	c.Flags().StringVar(&f.Dir, "dir", ".", "the folder; the run may be of any folder")
	terminal.OnlyJSON(c)
	c.Flags().BoolVar(&follow, "follow", false, "follow the events until the run has ended")
	return c
}

func printEvents(ctx context.Context, t terminal.Terminal, e *engine.Engine, id string, follow bool) error {
	show := func(ev event.Event) error { return terminal.WriteJSON(t.Out, api.EventOf(ev)) }
	if follow {
		for ev, err := range e.Follow(ctx, id, 0) {
			if err == nil {
				err = show(ev)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	events, err := e.Events(ctx, id, 0)
	for _, ev := range events {
		if err == nil {
			err = show(ev)
		}
	}
	return err
}

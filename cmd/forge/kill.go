package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
)

// quietWithin is how long a run of another process may take to be quiet.
const quietWithin = 10 * time.Second

func newKill(t terminal) *cobra.Command {
	var f keptFlags
	const example = "forge kill r-4f1c0a72"
	c := &cobra.Command{
		Use:     "kill RUN",
		Short:   "Stop a run for good, in whatever process it is worked on, an editor's too; what it cost is kept",
		Example: "  " + example,
		Args:    exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			return f.with(t, func(e *engine.Engine, _ string) error { return kill(c.Context(), t, e, args[0], f.json) })
		},
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder; a run is found in any")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

func kill(ctx context.Context, t terminal, e *engine.Engine, id string, asJSON bool) error {
	run, err := e.Find(ctx, id)
	if err != nil {
		return err
	}
	if run.Alive() || run.State == event.Interrupted || run.State == event.Paused {
		if run, err = stop(ctx, e, id); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(t.out, api.StateResult{RunID: run.ID, State: string(run.State)})
	}
	_, err = fmt.Fprintf(t.out, "%s is %s\n", run.ID, run.State)
	return err
}

// stop stops a run that has not ended, and waits until it is quiet.
func stop(ctx context.Context, e *engine.Engine, id string) (engine.RunInfo, error) {
	killed := e.Kill(ctx, id) // an error may be that it has ended just now, which the next look tells
	wait, done := context.WithTimeout(ctx, quietWithin)
	defer done()
	run, err := e.AwaitQuiet(wait, id)
	switch {
	case run.Alive() && killed != nil:
		return run, killed
	case errors.Is(err, context.DeadlineExceeded):
		return run, fmt.Errorf("run %s was asked to stop, and is still %s after %s: forge sessions shows who works on it", id, run.State, quietWithin)
	}
	return run, err
}

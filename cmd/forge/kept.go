package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/internal/inert"
	"forge/memory"
)

// keptFlags are the flags of commands that look at what is kept.
type keptFlags struct {
	dir  string
	json bool
}

func (f *keptFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
}

// with opens the engine for a folder, and explains how do failed.
func (f *keptFlags) with(t terminal, do func(e *engine.Engine, in service.Folder) error) error {
	return explained(inProject(t, f.dir, func(e *engine.Engine, root string) error { return do(e, service.At(root)) }))
}

// shown prints the result of a command as JSON, or else with show, as people read it.
func shown[R any](t terminal, asJSON bool, result R, err error, show func(R) error) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(t.out, result)
	}
	return show(result)
}

// when is a time of a result; the zero time where there is none.
func when(stamp string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, stamp)
	return at
}

// explained gives an error of a command its exit code, and says what to do.
func explained(err error) error {
	var exit *exitError
	var wrong *api.ArgumentError
	var missing *service.MissingError
	var illegal *memory.StateError
	var busy *service.BusyError
	switch {
	case err == nil, errors.As(err, &exit):
		return err
	case errors.As(err, &wrong):
		return &exitError{exitUsage, "--" + wrong.Error()}
	case errors.As(err, &missing):
		return &exitError{exitFailed, whereToLook(missing)}
	case errors.As(err, &illegal):
		return &exitError{exitFailed, illegal.Error()}
	case errors.As(err, &busy):
		return &exitError{exitFailed, busy.Error() + ": forge sessions shows who works on it"}
	case errors.Is(err, engine.ErrNoBatch):
		return &exitError{exitFailed, err.Error() + ": forge batch list shows those there are"}
	case errors.Is(err, engine.ErrNotTrusted):
		return &exitError{exitBlocked, err.Error() + ". If you trust it: forge validate --trust"}
	case errors.Is(err, engine.ErrNoGate):
		return &exitError{exitUsage, err.Error()}
	case errors.Is(err, context.Canceled):
		return &exitError{exitCancelled, "cancelled"}
	case errors.Is(err, engine.ErrNoRun):
		return &exitError{exitFailed, err.Error() + ": forge runs lists those of a folder"}
	case errors.Is(err, engine.ErrOtherVersion):
		return &exitError{exitFailed, err.Error() + "\n  forge log tells what it did, and forge run starts it anew"}
	case errors.Is(err, memory.ErrInvalid):
		return &exitError{exitUsage, err.Error()}
	}
	return &exitError{exitFailed, err.Error()}
}

// whereToLook says of something that is not there which command lists what is.
func whereToLook(e *service.MissingError) string {
	switch {
	case e.Subject == service.Tasks:
		return fmt.Sprintf("there is no task %s: forge task list shows those that there are", inert.Text(e.Name))
	case e.Subject == service.Memory:
		return fmt.Sprintf("nothing is remembered as %s: forge memory list shows what is", inert.Text(e.Name))
	case errors.Is(e, memory.ErrCollected):
		return fmt.Sprintf("the specification of %s: %v", e.Folder, e)
	}
	return fmt.Sprintf("%s has no such specification: a run that is asked to writes one, and forge spec shows the latest", e.Folder)
}

// table prints rows with aligned columns, the first of them the heads. Cells are inert.
func table(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, inert.Text(cell))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// atMostOne demands no more than one argument.
func atMostOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%d arguments, and there is only %s", len(args), what)
		}
		return nil
	}
}

// exactly demands n arguments, and shows an example of them.
func exactly(n int, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%d arguments, want %d, as in\n  %s", len(args), n, example)
		}
		return nil
	}
}

// first is the first argument, or nothing.
func first(args []string) string { return append(args, "")[0] }

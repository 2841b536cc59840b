package main

import (
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
	if err == nil || errors.As(err, &exit) {
		return err
	}
	text := err.Error()
	switch service.FaultOf(err) {
	case service.WrongInput:
		var wrong *api.ArgumentError
		if errors.As(err, &wrong) {
			text = "--" + wrong.Error()
		}
		return &exitError{exitUsage, text}
	case service.NotThere, service.Collected:
		var missing *service.MissingError
		if errors.As(err, &missing) {
			text = whereToLook(missing)
		}
	case service.Busy:
		text += ": forge sessions shows who works on it"
	case service.NoSuchBatch:
		text += ": forge batch list shows those there are"
	case service.NotTrusted:
		return &exitError{exitBlocked, text + ". If you trust it: forge validate --trust"}
	case service.Cancelled:
		return &exitError{exitCancelled, "cancelled"}
	case service.NoSuchRun:
		text += ": forge runs lists those of a folder"
	case service.OtherVersion:
		text += "\n  forge log shows what it did, and forge run starts it anew"
	case service.NoFault, service.Failed, service.Illegal:
	}
	return &exitError{exitFailed, text}
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

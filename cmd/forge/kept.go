package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
func (f *keptFlags) with(t terminal, do func(e *engine.Engine, root string) error) error {
	return explained(inProject(t, f.dir, do))
}

// explained gives an error of the engine the exit code that it deserves, and says what to do.
func explained(err error) error {
	var exit *exitError
	switch {
	case err == nil, errors.As(err, &exit):
		return err
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

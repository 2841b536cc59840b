package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newUndo(t terminal) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "undo [run]",
		Short: "Take back what the last run, or the one named, changed; what you typed since is kept",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%d runs at once cannot be undone: name one, or none for the last", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return undo(c.Context(), t, f, append(args, "")[0])
		},
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&f.yes, "yes", false, "apply without asking")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

func undo(ctx context.Context, t terminal, f runFlags, id string) error {
	root, err := folder(f.dir)
	if err != nil {
		return err
	}
	e, err := openEngine(t)
	if err != nil {
		return err
	}
	defer e.Close()
	p, err := e.Undo(ctx, root, id)
	if err != nil {
		return runOutcome{}.ending(err)
	}
	outcome := runOutcome{RunID: p.RunID, State: "succeeded", Files: []fileOutcome{}}
	err = session{dialogue: newDialogue(t), engine: e, flags: f}.offer(ctx, root, p, &outcome)
	if f.json {
		err = outcome.print(t.out, err)
	}
	return outcome.ending(err)
}

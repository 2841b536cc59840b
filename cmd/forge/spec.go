package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"forge/engine"
	"forge/internal/inert"
	"forge/lsp/command"
	"forge/memory"
)

func newSpec(t terminal) *cobra.Command {
	var f keptFlags
	var version int
	c := &cobra.Command{
		Use:     "spec",
		Short:   "Show the specification of a folder, or an earlier version; compare versions, and go back to one",
		Example: "  forge spec\n  forge spec --version 2\n  forge spec diff 2 3",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if version < 0 {
				return fmt.Errorf("--version %d: versions count from 1", version)
			}
			return f.with(t, func(e *engine.Engine, root string) error {
				spec, err := e.Spec(c.Context(), root, version)
				if err != nil {
					return noSpec(err, root)
				}
				return printSpec(t, spec, f.json)
			})
		},
	}
	f.add(c)
	c.Flags().IntVar(&version, "version", 0, "which version; without it the latest")
	c.AddCommand(newSpecDiff(t), newSpecRollback(t))
	return c
}

// noSpec says that there is no such version.
func noSpec(err error, root string) error {
	switch {
	case errors.Is(err, memory.ErrCollected):
		return &exitError{exitFailed, fmt.Sprintf("the specification of %s: %v", root, err)}
	case errors.Is(err, memory.ErrNotFound):
		return &exitError{exitFailed, fmt.Sprintf("%s has no such specification: a run that is asked to writes one, and forge spec shows the latest", root)}
	}
	return err
}

func printSpec(t terminal, spec memory.Spec, asJSON bool) error {
	if asJSON {
		return writeJSON(t.out, command.SpecOf(spec))
	}
	fmt.Fprintf(t.err, "[forge] version %d: %s\n", spec.Version, inert.Text(spec.Changelog))
	_, err := fmt.Fprintln(t.out, inert.Text(spec.Text))
	return err
}

// versions reads numbers of versions.
func versions(args []string) ([]int, error) {
	var all []int
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return nil, &exitError{exitUsage, fmt.Sprintf("%q is no version: give its number, from 1", arg)}
		}
		all = append(all, n)
	}
	return all, nil
}

func newSpecDiff(t terminal) *cobra.Command {
	var f keptFlags
	const example = "forge spec diff 2 3"
	c := &cobra.Command{
		Use: "diff A B", Short: "Compare two versions of the specification", Example: "  " + example, Args: exactly(2, example),
		RunE: func(c *cobra.Command, args []string) error {
			pair, err := versions(args)
			if err != nil {
				return err
			}
			return f.with(t, func(e *engine.Engine, root string) error { return diffSpec(c.Context(), t, e, root, pair, f.json) })
		},
	}
	f.add(c)
	return c
}

func diffSpec(ctx context.Context, t terminal, e *engine.Engine, root string, pair []int, asJSON bool) error {
	from, to, diff, err := e.SpecDiff(ctx, root, pair[0], pair[1])
	if err != nil {
		return noSpec(err, root)
	}
	if asJSON {
		return writeJSON(t.out, command.SpecDiffResult{From: from, To: to, Diff: diff})
	}
	if diff == "" {
		fmt.Fprintf(t.err, "[forge] versions %d and %d read the same\n", from, to)
	}
	_, err = fmt.Fprint(t.out, inert.Text(diff))
	return err
}

func newSpecRollback(t terminal) *cobra.Command {
	var f keptFlags
	const example = "forge spec rollback 2"
	c := &cobra.Command{
		Use: "rollback N", Short: "Append a version that reads like an old one; nothing is taken back", Example: "  " + example,
		Args: exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			which, err := versions(args)
			if err != nil {
				return err
			}
			return f.with(t, func(e *engine.Engine, root string) error {
				spec, err := e.RollbackSpec(c.Context(), root, which[0])
				if err != nil {
					return noSpec(err, root)
				}
				return printSpec(t, spec, f.json)
			})
		},
	}
	f.add(c)
	return c
}

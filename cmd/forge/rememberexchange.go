package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/engine"
	"forge/internal/inert"
	"forge/memory"
)

func newMemoryExport(t terminal) *cobra.Command {
	var f memoryFlags
	c := f.command(t, cobra.Command{
		Use: "export", Short: "Print memory as JSON lines: the same memory gives the same lines, so that it can be kept in git",
		Example: "  forge memory export > memory.jsonl", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, root string, _ []string) error {
		var tiers []memory.Tier
		for _, tier := range f.tiers {
			tiers = append(tiers, memory.Tier(tier))
		}
		rows, err := e.ExportMemory(ctx, root, memory.Scope(f.scope), t.out, tiers...)
		if err == nil {
			fmt.Fprintf(t.err, "[forge] rows: %d\n", rows)
		}
		return err
	})
	c.Flags().StringSliceVar(&f.tiers, "tier", nil, "of entries: mid, episodic, long; without it long. Patterns and playbooks are always among them")
	return c
}

func newMemoryImport(t terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory import memory.jsonl"
	return f.command(t, cobra.Command{
		Use: "import FILE", Short: "Take JSON lines into memory; - reads the standard input. What is there stays", Example: "  " + example,
		Args: exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, root string, args []string) (err error) {
		in, name := t.in, "the standard input"
		if args[0] != "-" {
			file, err := os.Open(args[0])
			if err != nil {
				return &exitError{exitUsage, err.Error()}
			}
			defer func() { err = errors.Join(err, file.Close()) }()
			in, name = file, args[0]
		}
		done, err := e.ImportMemory(ctx, root, memory.Scope(f.scope), in, name)
		if err != nil {
			return err
		}
		return f.printImported(t, name, done)
	})
}

// printImported tells what became of the lines; a bad one is a failure.
func (f *memoryFlags) printImported(t terminal, name string, done memory.Imported) error {
	if f.json {
		if err := writeJSON(t.out, api.ImportedOf(done)); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(t.out, "%d added, %d known already, %d bad\n", done.Added, done.Known, len(done.Bad))
		for _, bad := range done.Bad {
			fmt.Fprintf(t.err, "[forge] %s, line %d: %s\n", inert.Text(name), bad.Line, inert.Text(bad.Reason))
		}
	}
	if len(done.Bad) > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

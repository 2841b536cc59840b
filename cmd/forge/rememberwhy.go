package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/engine"
	"forge/engine/story"
	"forge/internal/inert"
	"forge/memory"
)

func newMemoryWhy(t terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory why pattern-3"
	return f.command(t, cobra.Command{
		Use: "why ID", Short: "Tell where something comes from: run, node, and the verdicts of gates", Example: "  " + example,
		Args: exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, root string, args []string) error {
		why, err := e.WhyRemembered(ctx, root, memory.Scope(f.scope), args[0])
		if err != nil {
			return err
		}
		if f.json {
			return writeJSON(t.out, api.WhyOf(why))
		}
		printWhy(t.out, why)
		return nil
	})
}

func printWhy(out io.Writer, why memory.Provenance) {
	const layout = "2006-01-02 15:04"
	fmt.Fprintf(out, "%s: %s\n", why.ID, inert.Text(why.What))
	fmt.Fprintf(out, "  comes from %s, on %s\n", inert.Text(why.Source.String()), why.Created.Local().Format(layout))
	if !why.Updated.IsZero() && !why.Updated.Equal(why.Created) {
		fmt.Fprintf(out, "  was changed last on %s\n", why.Updated.Local().Format(layout))
	}
	for _, e := range why.Evidence {
		fmt.Fprintf(out, "  %s by %s in run %s, %s, on %s%s\n", e.Verdict, inert.Text(e.Report.Gate), e.Report.Run, e.Report.Node,
			e.At.Local().Format(layout), story.Because(e.Report.Summary))
	}
}

func newMemoryForget(t terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory forget entry-12"
	return f.command(t, cobra.Command{
		Use: "forget ID", Short: "Delete something that is remembered, for good", Example: "  " + example, Args: exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, root string, args []string) error {
		if err := e.Forget(ctx, root, memory.Scope(f.scope), args[0]); err != nil {
			return err
		}
		if f.json {
			return writeJSON(t.out, api.MemoryForgotten{ID: args[0]})
		}
		_, err := fmt.Fprintf(t.err, "[forge] %s is forgotten\n", args[0])
		return err
	})
}

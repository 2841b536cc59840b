package keep

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/internal/inert"
)

func newMemoryWhy(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory why pattern-3"
	return f.command(t, cobra.Command{
		Use: "why ID", Short: "Show where something comes from: run, node, and the verdicts of gates", Example: "  " + example,
		Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		result, err := service.WhyMemory(ctx, e, in, &api.MemoryIDArgs{ID: args[0], Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryWhyResult) error {
			printWhy(t.Out, r)
			return nil
		})
	})
}

func printWhy(out io.Writer, why api.MemoryWhyResult) {
	const layout = "2006-01-02 15:04"
	fmt.Fprintf(out, "%s: %s\n", why.ID, inert.Text(why.What))
	fmt.Fprintf(out, "  comes from %s, on %s\n", inert.Text(why.Source), terminal.When(why.Created).Local().Format(layout))
	if why.Updated != "" && why.Updated != why.Created {
		fmt.Fprintf(out, "  was changed last on %s\n", terminal.When(why.Updated).Local().Format(layout))
	}
	for _, e := range why.Evidence {
		fmt.Fprintf(out, "  %s by %s in run %s, %s, on %s%s\n", e.Verdict, inert.Text(e.Gate), e.RunID, e.Node,
			terminal.When(e.TS).Local().Format(layout), event.Because(e.Summary))
	}
}

func newMemoryForget(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory forget entry-12"
	return f.command(t, cobra.Command{
		Use: "forget ID", Short: "Delete something that is remembered, for good", Example: "  " + example, Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		result, err := service.ForgetMemory(ctx, e, in, &api.MemoryIDArgs{ID: args[0], Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryForgotten) error {
			_, err := fmt.Fprintf(t.Err, "[forge] %s is forgotten\n", r.ID)
			return err
		})
	})
}

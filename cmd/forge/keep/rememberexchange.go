package keep

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

func newMemoryExport(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	c := f.command(t, cobra.Command{
		Use: "export", Short: "Print memory as JSON lines: the same memory gives the same lines, so that it can be kept in git",
		Example: "  forge memory export > memory.jsonl", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		result, err := service.ExportMemory(ctx, e, in, &api.MemoryExportArgs{Tiers: f.tiers, Scope: f.scope})
		if err == nil {
			_, err = fmt.Fprint(t.Out, result.Text)
		}
		if err == nil {
			fmt.Fprintf(t.Err, "[forge] rows: %d\n", result.Rows)
		}
		return err
	})
	c.Flags().StringSliceVar(&f.tiers, "tier", nil, "of entries: mid, episodic, long; without it long. Patterns and playbooks are always among them")
	return c
}

func newMemoryImport(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory import memory.jsonl"
	return f.command(t, cobra.Command{
		Use: "import FILE", Short: "Take JSON lines into memory; - reads the standard input. What is there stays", Example: "  " + example,
		Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		text, name, err := readLines(t, args[0])
		if err != nil {
			return err
		}
		result, err := service.ImportMemory(ctx, e, in, &api.MemoryImportArgs{Text: text, Name: name, Scope: f.scope})
		err = terminal.Shown(t, f.JSON, result, err, func(r api.MemoryImportResult) error { return printImported(t, name, r) })
		if err == nil && len(result.Bad) > 0 {
			return &terminal.ExitError{Code: terminal.ExitFailed} // a bad line is a failure
		}
		return err
	})
}

// readLines reads a file, or the standard input for -, and names it.
func readLines(t terminal.Terminal, file string) (text, name string, err error) {
	in, name := t.In, "the standard input"
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return "", "", terminal.ExitWith(terminal.ExitUsage, err.Error())
		}
		defer func() { _ = opened.Close() }() // it was only read
		in, name = opened, file
	}
	all, err := io.ReadAll(in)
	if err != nil {
		return "", "", fmt.Errorf("read %s: %w", name, err)
	}
	return string(all), name, nil
}

func printImported(t terminal.Terminal, name string, done api.MemoryImportResult) error {
	_, err := fmt.Fprintf(t.Out, "%d added, %d known already, %d bad\n", done.Added, done.Known, len(done.Bad))
	for _, bad := range done.Bad {
		fmt.Fprintf(t.Err, "[forge] %s, line %d: %s\n", inert.Text(name), bad.Line, inert.Text(bad.Reason))
	}
	return err
}

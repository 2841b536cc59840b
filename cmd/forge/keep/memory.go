package keep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/history"
	"forge/internal/inert"
	"forge/memory"
)

// memoryFlags are the flags of forge memory's commands, each of which has some of them.
type memoryFlags struct {
	terminal.KeptFlags
	scope, tier, agent string
	kind, prefix       string
	tiers              []string
	limit              int
}

// NewMemory returns the command forge memory.
func NewMemory(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "memory",
		Short: "Show and change what is remembered from run to run",
		Long: `Show and change what is remembered from run to run: entries under keys, patterns that gates have judged, and
playbooks. Each folder has a memory of its own, the scope project; what holds for all folders has the scope global.`,
		Example: `  forge memory set build.command "make all"
  forge memory search "the build command"
  forge memory why entry-12`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newMemoryRead(t), newMemorySet(t), newMemoryList(t), newMemorySearch(t), newMemoryWhy(t), newMemoryForget(t),
		newMemoryExport(t), newMemoryImport(t))
	return c
}

// command makes one of the commands of forge memory. do is called with a folder whose memory can be opened.
func (f *memoryFlags) command(t terminal.Terminal, c cobra.Command, do func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return f.With(t, func(e *engine.Engine, in service.Folder) error { return do(c.Context(), e, in, args) })
	}
	f.Add(&c)
	c.Flags().StringVar(&f.scope, "scope", "", "project or global; without it the folder's own, and where several are looked at both")
	return &c
}

// kinds are what rows of memory may be.
var kinds = []history.MemoryKind{history.Entries, history.Patterns, history.Playbooks}

// check rejects invalid values of flags.
func (f *memoryFlags) check() error {
	return errors.Join(
		oneOf("--scope", memory.Scope(f.scope), []memory.Scope{memory.ScopeProject, memory.ScopeGlobal}),
		oneOf("--tier", memory.Tier(f.tier), memory.Tiers),
		oneOf("--kind", history.MemoryKind(f.kind), kinds))
}

// oneOf rejects an unknown value of a flag, which may be left out.
func oneOf[T ~string](flag string, value T, all []T) error {
	if value == "" || slices.Contains(all, value) {
		return nil
	}
	return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("%s %s: there is %s", flag, value, names(all)))
}

// names lists what there is.
func names[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = string(one)
	}
	return strings.Join(texts, ", ")
}

func (f *memoryFlags) addKey(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&f.tier, "tier", "", "mid, episodic or long")
	c.Flags().StringVar(&f.agent, "agent", "", "who keeps it")
	return c
}

func newMemoryRead(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory get build.command"
	return f.addKey(f.command(t, cobra.Command{
		Use: "get KEY", Short: "Print what is remembered under a key", Example: "  " + example, Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		result, err := service.ReadMemory(ctx, e, in, &api.MemoryKeyArgs{Key: args[0], Tier: f.tier, Agent: f.agent, Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryRow) error {
			_, err := fmt.Fprintln(t.Out, inert.Text(r.Text))
			return err
		})
	}))
}

func newMemorySet(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = `forge memory set build.command "make all"`
	return f.addKey(f.command(t, cobra.Command{
		Use: "set KEY VALUE", Short: "Remember a text, or JSON, under a key; - reads it from the standard input",
		Example: "  " + example, Args: terminal.Exactly(2, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		text := args[1]
		if text == "-" {
			all, err := io.ReadAll(t.In)
			if err != nil {
				return fmt.Errorf("read what to remember: %w", err)
			}
			text = strings.TrimSuffix(string(all), "\n")
		}
		result, err := service.SetMemory(ctx, e, in, &api.MemorySetArgs{Key: args[0], Value: text, Tier: f.tier, Agent: f.agent, Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryRow) error {
			_, err := fmt.Fprintf(t.Err, "[forge] remembered as %s\n", r.ID)
			return err
		})
	}))
}

func newMemoryList(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	c := f.addKey(f.command(t, cobra.Command{
		Use: "list", Short: "List what is remembered", Example: "  forge memory list --tier long --prefix build.", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		result, err := service.ListMemory(ctx, e, in, &api.MemoryListArgs{
			Kind: f.kind, Tier: f.tier, Agent: f.agent, Prefix: f.prefix, Limit: f.limit, Scope: f.scope,
		})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryResult) error { return printRows(t, r.Rows, "nothing is remembered") })
	}))
	c.Flags().StringVar(&f.kind, "kind", "", "only this: "+names(kinds))
	c.Flags().StringVar(&f.prefix, "prefix", "", "only entries whose keys begin so")
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, "how many at most; 0 for all")
	return c
}

func printRows(t terminal.Terminal, rows []api.MemoryRow, none string) error {
	if len(rows) == 0 {
		fmt.Fprintf(t.Err, "[forge] %s\n", none)
		return nil
	}
	cells := [][]string{{"ID", "SCOPE", "WHAT", "TEXT"}}
	for _, row := range rows {
		cells = append(cells, []string{row.ID, row.Scope, whatRow(row), oneLine(row.Text)})
	}
	return terminal.Table(t.Out, cells)
}

// whatRow describes a row in a few words.
func whatRow(row api.MemoryRow) string {
	switch history.MemoryKind(row.Kind) {
	case history.Entries:
		name := row.Tier + " " + row.Key
		if row.Agent != "" {
			name += " of " + row.Agent
		}
		return name
	case history.Patterns:
		return fmt.Sprintf("%s %.2f", row.Category, row.Confidence)
	case history.Playbooks:
		return "playbook " + row.Title
	}
	return row.Kind
}

// oneLine is the beginning of a text.
func oneLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	const width = 72
	if runes := []rune(line); len(runes) > width {
		line, more = string(runes[:width]), true
	}
	if more {
		line += "…"
	}
	return line
}

func newMemorySearch(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = `forge memory search "the build command"`
	c := f.command(t, cobra.Command{
		Use: "search TEXT…", Short: "Find what is remembered about a text, the best first", Example: "  " + example,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return fmt.Errorf("there is nothing to search for: say it in plain words, as in\n  %s", example)
			}
			return nil
		},
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		result, err := service.SearchMemory(ctx, e, in, &api.MemorySearchArgs{Text: strings.Join(args, " "), Limit: f.limit, Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryResult) error {
			return printRows(t, r.Rows, "nothing that is remembered has to do with that")
		})
	})
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, fmt.Sprintf("how many at most; %d without it", memory.RecallLimit))
	return c
}

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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"forge/engine"
	"forge/engine/story"
	"forge/internal/inert"
	"forge/lsp/command"
	"forge/memory"
)

// memoryFlags are the flags of forge memory's commands, each of which has some of them.
type memoryFlags struct {
	keptFlags
	scope, tier, agent string
	kind, prefix       string
	tiers              []string
	limit              int
}

func newMemory(t terminal) *cobra.Command {
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
func (f *memoryFlags) command(t terminal, c cobra.Command, do func(ctx context.Context, e *engine.Engine, root string, args []string) error) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return f.with(t, func(e *engine.Engine, root string) error {
			err := do(c.Context(), e, root, args)
			if errors.Is(err, memory.ErrNotFound) {
				return &exitError{exitFailed, fmt.Sprintf("nothing is remembered as %s: forge memory list shows what is", inert.Text(first(args)))}
			}
			return err
		})
	}
	f.add(&c)
	c.Flags().StringVar(&f.scope, "scope", "", "project or global; without it the folder's own, and where several are looked at both")
	return &c
}

// kinds are what rows of memory may be.
var kinds = []engine.MemoryKind{engine.Entries, engine.Patterns, engine.Playbooks}

// check refuses values that no flag has.
func (f *memoryFlags) check() error {
	return errors.Join(
		oneOf("--scope", memory.Scope(f.scope), []memory.Scope{memory.ScopeProject, memory.ScopeGlobal}),
		oneOf("--tier", memory.Tier(f.tier), memory.Tiers[1:]),
		oneOf("--kind", engine.MemoryKind(f.kind), kinds))
}

// oneOf refuses a value of a flag that is none of those there are; the flag may be left out.
func oneOf[T ~string](flag string, value T, all []T) error {
	if value == "" || slices.Contains(all, value) {
		return nil
	}
	return &exitError{exitUsage, fmt.Sprintf("%s %s: there is %s", flag, value, names(all))}
}

func (f *memoryFlags) addKey(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&f.tier, "tier", "", "mid, episodic or long")
	c.Flags().StringVar(&f.agent, "agent", "", "who keeps it")
	return c
}

func (f *memoryFlags) key(name string) engine.MemoryKey {
	return engine.MemoryKey{Scope: memory.Scope(f.scope), Tier: memory.Tier(f.tier), Agent: f.agent, Key: name}
}

func newMemoryRead(t terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory get build.command"
	return f.addKey(f.command(t, cobra.Command{
		Use: "get KEY", Short: "Print what is remembered under a key", Example: "  " + example, Args: exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, root string, args []string) error {
		row, err := e.Recollect(ctx, root, f.key(args[0]))
		if err != nil {
			return err
		}
		return f.printRow(t, row)
	}))
}

func (f *memoryFlags) printRow(t terminal, row engine.Remembered) error {
	wire := command.MemoryRowOf(row)
	if f.json {
		return writeJSON(t.out, wire)
	}
	_, err := fmt.Fprintln(t.out, inert.Text(wire.Text))
	return err
}

func newMemorySet(t terminal) *cobra.Command {
	var f memoryFlags
	const example = `forge memory set build.command "make all"`
	return f.addKey(f.command(t, cobra.Command{
		Use: "set KEY VALUE", Short: "Remember a text, or JSON, under a key; - reads it from the standard input",
		Example: "  " + example, Args: exactly(2, example),
	}, func(ctx context.Context, e *engine.Engine, root string, args []string) error {
		text := args[1]
		if text == "-" {
			all, err := io.ReadAll(t.in)
			if err != nil {
				return fmt.Errorf("read what to remember: %w", err)
			}
			text = strings.TrimSuffix(string(all), "\n")
		}
		row, err := e.Remember(ctx, root, f.key(args[0]), text)
		if err != nil {
			return err
		}
		if f.json {
			return f.printRow(t, row)
		}
		_, err = fmt.Fprintf(t.err, "[forge] remembered as %s\n", row.Entry.ID)
		return err
	}))
}

func newMemoryList(t terminal) *cobra.Command {
	var f memoryFlags
	c := f.addKey(f.command(t, cobra.Command{
		Use: "list", Short: "List what is remembered", Example: "  forge memory list --tier long --prefix build.", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, root string, _ []string) error {
		rows, err := e.Memories(ctx, root, engine.MemoryFilter{
			Scope: memory.Scope(f.scope), Kind: engine.MemoryKind(f.kind), Tier: memory.Tier(f.tier), Agent: f.agent, Prefix: f.prefix, Limit: f.limit,
		})
		if err != nil {
			return err
		}
		return f.printRows(t, rows, "nothing is remembered")
	}))
	c.Flags().StringVar(&f.kind, "kind", "", "only this: "+names(kinds))
	c.Flags().StringVar(&f.prefix, "prefix", "", "only entries whose keys begin so")
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, "how many at most; 0 for all")
	return c
}

func (f *memoryFlags) printRows(t terminal, rows []engine.Remembered, none string) error {
	wire := command.MemoryOf(rows)
	if f.json {
		return writeJSON(t.out, wire)
	}
	if len(rows) == 0 {
		fmt.Fprintf(t.err, "[forge] %s\n", none)
		return nil
	}
	cells := [][]string{{"ID", "SCOPE", "WHAT", "TEXT"}}
	for _, row := range wire.Rows {
		cells = append(cells, []string{row.ID, row.Scope, whatRow(row), oneLine(row.Text)})
	}
	return table(t.out, cells)
}

// whatRow names a row in a few words.
func whatRow(row command.MemoryRow) string {
	switch engine.MemoryKind(row.Kind) {
	case engine.Entries:
		name := row.Tier + " " + row.Key
		if row.Agent != "" {
			name += " of " + row.Agent
		}
		return name
	case engine.Patterns:
		return fmt.Sprintf("%s %.2f", row.Category, row.Confidence)
	case engine.Playbooks:
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

func newMemorySearch(t terminal) *cobra.Command {
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
	}, func(ctx context.Context, e *engine.Engine, root string, args []string) error {
		rows, err := e.SearchMemory(ctx, root, strings.Join(args, " "), memory.Scope(f.scope), f.limit)
		if err != nil {
			return err
		}
		return f.printRows(t, rows, "nothing that is remembered has to do with that")
	})
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, fmt.Sprintf("how many at most; %d without it", memory.RecallLimit))
	return c
}

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
			return writeJSON(t.out, command.WhyOf(why))
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
			return writeJSON(t.out, command.MemoryForgotten{ID: args[0]})
		}
		_, err := fmt.Fprintf(t.err, "[forge] %s is forgotten\n", args[0])
		return err
	})
}

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
		if err := writeJSON(t.out, command.ImportedOf(done)); err != nil {
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

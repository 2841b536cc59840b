package keep

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// memoryFlags are the flags of the commands of forge memory; each command has some of them.
type memoryFlags struct {
	terminal.KeptFlags
	scope, tier, agent string
	kind, prefix       string
	category           string
	tiers              []string
	limit, priority    int
}

// NewMemory returns the command forge memory.
func NewMemory(t terminal.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "memory",
		Short: "Show and change memory, which runs share",
		Long: `Show and change memory, which runs share: entries under keys, patterns that gates have verified, and
playbooks. Each folder has its own memory, the scope project; the scope global holds for all folders.`,
		Example: `  forge memory set build.command "make all"
  forge memory search "the build command"
  forge memory why entry-12`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newMemoryRead(t), newMemorySet(t), newMemoryList(t), newMemorySearch(t), newMemoryWhy(t), newMemoryForget(t),
		newMemoryExport(t), newMemoryImport(t), newMemoryDecay(t), newMemoryClear(t), newMemoryIndex(t), newMemoryPrune(t))
	return c
}

// command returns a command of forge memory that calls do with the folder's engine.
func (f *memoryFlags) command(t terminal.Terminal, c cobra.Command, do doing) *cobra.Command {
	all := f.withoutJSON(t, c, do)
	all.Flags().BoolVar(&f.JSON, "json", false, "print the result as JSON")
	return all
}

// doing is what a command of forge memory does.
type doing func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error

// withoutJSON is command for a command whose result is no JSON, or always is.
func (f *memoryFlags) withoutJSON(t terminal.Terminal, c cobra.Command, do doing) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		return f.With(t, func(e *engine.Engine, in service.Folder) error { return do(c.Context(), e, in, args) })
	}
	c.Flags().StringVar(&f.Dir, "dir", ".", "the folder")
	c.Flags().StringVar(&f.scope, "scope", "", "project or global; without it project; for get project, then global; for lists and searches both")
	return &c
}

// kinds are the kinds of rows of memory.
var kinds = []history.MemoryKind{history.Entries, history.Patterns, history.Playbooks}

// check rejects invalid values of flags.
func (f *memoryFlags) check() error {
	return errors.Join(
		oneOf("--scope", memory.Scope(f.scope), []memory.Scope{memory.ScopeProject, memory.ScopeGlobal}),
		oneOf("--tier", memory.Tier(f.tier), memory.Tiers),
		oneOf("--kind", history.MemoryKind(f.kind), kinds),
		oneOf("--category", memory.Category(f.category), memory.Categories),
		f.oneKind(), f.counts())
}

// oneKind rejects flags that choose rows of different kinds: no row is of both.
func (f *memoryFlags) oneKind() error {
	kind, by := history.MemoryKind(f.kind), "--kind "+f.kind
	for _, chosen := range []struct {
		flag, value string
		kind        history.MemoryKind
	}{{"--tier", f.tier, history.Entries}, {"--agent", f.agent, history.Entries}, {"--prefix", f.prefix, history.Entries}, {"--category", f.category, history.Patterns}} {
		switch {
		case chosen.value == "" || chosen.kind == kind:
		case kind != "":
			return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("%s chooses rows of the kind %s, and %s of the kind %s: leave one of them out", chosen.flag, chosen.kind, by, kind))
		default:
			kind, by = chosen.kind, chosen.flag
		}
	}
	return nil
}

// counts rejects numbers that have no meaning.
func (f *memoryFlags) counts() error {
	switch tier := memory.Tier(f.tier); {
	case f.limit < 0:
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--limit %d: want a number of rows, or 0 for all", f.limit))
	case f.priority != 0 && tier != "" && tier != memory.Long:
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--priority orders the tier long: leave it out with --tier %s", f.tier))
	}
	return nil
}

// oneOf rejects a value of a flag that is not in all; the empty value is valid.
func oneOf[T ~string](flag string, value T, all []T) error {
	if value == "" || slices.Contains(all, value) {
		return nil
	}
	return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("%s %s: want one of %s", flag, value, names(all)))
}

// names joins values for a message.
func names[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = string(one)
	}
	return strings.Join(texts, ", ")
}

func (f *memoryFlags) addKey(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&f.tier, "tier", "", "mid, episodic or long")
	c.Flags().StringVar(&f.agent, "agent", "", "the agent that owns the entry")
	return c
}

func newMemoryRead(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory get build.command"
	return f.addKey(f.command(t, cobra.Command{
		Use: "get KEY", Short: "Print the memory entry of a key", Example: "  " + example, Args: terminal.Exactly(1, example),
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
	c := f.addKey(f.command(t, cobra.Command{
		Use: "set KEY VALUE", Short: "Store a text, or JSON, under a key; - reads it from stdin",
		Example: "  " + example, Args: terminal.Exactly(2, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		text := args[1]
		if text == "-" {
			var err error
			if text, _, err = readText(ctx, t, text); err != nil {
				return err
			}
			text = strings.TrimSuffix(text, "\n")
		}
		result, err := service.SetMemory(ctx, e, in, &api.MemorySetArgs{Key: args[0], Value: text, Tier: f.tier, Agent: f.agent, Scope: f.scope, Priority: f.priority})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryRow) error {
			_, err := fmt.Fprintf(t.Err, "[forge] stored as %s\n", r.ID)
			return err
		})
	}))
	c.Flags().IntVar(&f.priority, "priority", 0, "entries of the tier long with a higher priority come first in prompts")
	return c
}

func newMemoryList(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	c := f.addKey(f.command(t, cobra.Command{
		Use: "list", Short: "List memory", Example: "  forge memory list --tier long --prefix build.", Args: cobra.NoArgs,
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, _ []string) error {
		result, err := service.ListMemory(ctx, e, in, &api.MemoryListArgs{
			Kind: f.kind, Tier: f.tier, Agent: f.agent, Prefix: f.prefix, Limit: f.limit, Scope: f.scope, Category: f.category,
		})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryResult) error { return printRows(t, r.Rows, "memory is empty") })
	}))
	c.Flags().StringVar(&f.kind, "kind", "", "only this kind: "+names(kinds))
	c.Flags().StringVar(&f.category, "category", "", "only patterns of this category: "+names(memory.Categories))
	c.Flags().StringVar(&f.prefix, "prefix", "", "only entries whose keys begin with this")
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, "limit of rows; 0 for all")
	return c
}

func printRows(t terminal.Terminal, rows []api.MemoryRow, none string) error {
	if len(rows) == 0 {
		fmt.Fprintf(t.Err, "[forge] %s\n", none)
		return nil
	}
	cells := [][]string{{"ID", "SCOPE", "WHAT", "TEXT"}}
	for _, row := range rows {
		cells = append(cells, []string{row.ID, row.Scope, whatRow(row), terminal.OneLine(row.Text)})
	}
	return terminal.Table(t.Out, cells)
}

// whatRow names a row in a few words.
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

func newMemorySearch(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = `forge memory search "the build command"`
	c := f.command(t, cobra.Command{
		Use: "search TEXT…", Short: "Search the entries and patterns of memory for a text, best first", Example: "  " + example,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return fmt.Errorf("the text is missing: describe what to search for in plain words, as in\n  %s", example)
			}
			return nil
		},
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		result, err := service.SearchMemory(ctx, e, in, &api.MemorySearchArgs{Text: strings.Join(args, " "), Limit: f.limit, Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryResult) error {
			return printRows(t, r.Rows, "memory has nothing about that")
		})
	})
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, fmt.Sprintf("limit of rows; %d without it", memory.RecallLimit))
	return c
}

func newMemoryWhy(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory why pattern-3"
	return f.command(t, cobra.Command{
		Use: "why ID", Short: "Show where a row of memory comes from: run, node, event, and the verdicts of gates", Example: "  " + example,
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
		fmt.Fprintf(out, "  was last changed on %s\n", terminal.When(why.Updated).Local().Format(layout))
	}
	if p := why.Pattern; p != nil {
		for _, part := range []struct{ name, text string }{{"fix", p.Fix}, {"where", p.Context}} {
			if part.text != "" {
				fmt.Fprintf(out, "  %s: %s\n", part.name, inert.Text(part.text))
			}
		}
		fmt.Fprintf(out, "  confidence %.2f, counted %.2f from verdicts of gates:\n", p.Confidence, p.Counted)
	}
	for _, e := range why.Evidence {
		place := e.Node
		if e.Event > 0 {
			place += fmt.Sprintf(", event %d", e.Event)
		}
		fmt.Fprintf(out, "  %s by %s in run %s, %s, on %s%s\n", e.Verdict, inert.Text(e.Gate), e.RunID, place,
			terminal.When(e.TS).Local().Format(layout), event.Because(e.Summary))
	}
}

func newMemoryForget(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory forget entry-12"
	return f.command(t, cobra.Command{
		Use: "forget ID", Short: "Delete a row of memory permanently", Example: "  " + example, Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		result, err := service.ForgetMemory(ctx, e, in, &api.MemoryIDArgs{ID: args[0], Scope: f.scope})
		return terminal.Shown(t, f.JSON, result, err, func(r api.MemoryForgotten) error {
			_, err := fmt.Fprintf(t.Err, "[forge] %s was deleted\n", r.ID)
			return err
		})
	})
}

func newMemoryExport(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	c := f.withoutJSON(t, cobra.Command{
		Use: "export", Short: "Print memory as JSON lines in a stable order, suitable for git",
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
	c.Flags().StringSliceVar(&f.tiers, "tier", nil, "tiers of entries: mid, episodic, long; without it long. Patterns and playbooks are always included")
	terminal.OnlyJSON(c)
	return c
}

func newMemoryImport(t terminal.Terminal) *cobra.Command {
	var f memoryFlags
	const example = "forge memory import memory.jsonl"
	return f.command(t, cobra.Command{
		Use: "import FILE", Short: "Import JSON lines into memory; - reads stdin. Existing rows are kept", Example: "  " + example,
		Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, e *engine.Engine, in service.Folder, args []string) error {
		text, name, err := readText(ctx, t, args[0])
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

// maxText bounds what is stored in memory at once, in bytes.
const maxText = 64 << 20

// readText reads a file, or stdin for -, and returns its name.
func readText(ctx context.Context, t terminal.Terminal, file string) (text, name string, err error) {
	if name = file; file == "-" {
		name = "stdin"
	}
	text, err = t.ReadNamed(ctx, file, maxText)
	switch {
	case ctx.Err() != nil:
		return "", "", terminal.ExitWith(terminal.ExitCancelled, "cancelled; nothing was stored")
	case err != nil:
		return "", "", terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("read %s: %v", name, err))
	}
	return text, name, nil
}

func printImported(t terminal.Terminal, name string, done api.MemoryImportResult) error {
	_, err := fmt.Fprintf(t.Out, "%d added, %d already known, %d bad\n", done.Added, done.Known, len(done.Bad))
	for _, bad := range done.Bad {
		fmt.Fprintf(t.Err, "[forge] %s, line %d: %s\n", inert.Text(name), bad.Line, inert.Text(bad.Reason))
	}
	return err
}

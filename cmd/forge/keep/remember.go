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

// check refuses values that no flag has.
func (f *memoryFlags) check() error {
	return errors.Join(
		oneOf("--scope", memory.Scope(f.scope), []memory.Scope{memory.ScopeProject, memory.ScopeGlobal}),
		oneOf("--tier", memory.Tier(f.tier), memory.Tiers),
		oneOf("--kind", history.MemoryKind(f.kind), kinds))
}

// oneOf refuses a value of a flag that is none of those there are; the flag may be left out.
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

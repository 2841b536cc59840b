package work

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/workspace"
	"forge/internal/inert"
)

// renameFlags are the flags of forge rename and forge replace.
type renameFlags struct {
	applyFlags
	path, scope            string
	line                   int
	everywhere             bool
	word, regexp, variants bool
	paths                  []string
}

// NewRename returns the command forge rename.
func NewRename(t terminal.Terminal) *cobra.Command {
	var f renameFlags
	c := &cobra.Command{
		Use:   "rename OLD NEW",
		Short: "Rename a symbol in a whole folder; uses no model, and asks before it writes",
		Long: `Rename a symbol and all its uses. In a trusted folder Forge uses the language's own server if it is
installed (gopls, tsserver, pyright, basedpyright, pylsp, rust-analyzer). Otherwise parsers find the names: words of
strings and comments are kept, and so are local names that only look the same. If the name
is ambiguous, nothing is changed and the places are listed: select one with --path and --line.

To undo, use forge undo. See docs/rename.md.`,
		Example: "  forge rename fetchUser loadUser\n  forge rename total sum --path src/cart.py --line 12\n  forge rename BashCompDirective ShellCompDirective --everywhere --dry-run",
		Args:    terminal.BothOf("the name and the new one", "forge rename fetchUser loadUser"),
		RunE: func(c *cobra.Command, args []string) error {
			a := &api.RenameArgs{Symbol: args[0], To: args[1], Line: f.line, Scope: f.scope, Everywhere: f.everywhere}
			return f.sweep(c.Context(), t, func(ctx context.Context, e *engine.Engine, at terminal.Place) (service.Swept, error) {
				a.Path = at.File(f.path)
				return service.Rename(ctx, f.asking(e), service.At(at.Root), a)
			})
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.path, "path", "", "a file with the symbol")
	c.Flags().IntVar(&f.line, "line", 0, "the line in that file")
	c.Flags().StringVar(&f.scope, "scope", "", "file: only in --path; all: every symbol of that name")
	c.Flags().BoolVar(&f.everywhere, "everywhere", false, "rename whole words in strings, comments and documents too")
	return c
}

// NewReplace returns the command forge replace.
func NewReplace(t terminal.Terminal) *cobra.Command {
	var f renameFlags
	c := &cobra.Command{
		Use:   "replace FIND REPLACEMENT",
		Short: "Replace a text in a whole folder; uses no model, and asks before it writes",
		Long: `Replace a text in all files of a folder that git does not ignore: exact plain text by default.
The count of each file is shown. To undo, use forge undo. See docs/rename.md.`,
		Example: "  forge replace http://example.com https://example.com --path 'docs/**'\n  forge replace fooBar bazQux --variants --word\n" +
			`  forge replace 'v1\.(\d+)' 'v2.$1' --regexp --dry-run`,
		Args: terminal.BothOf("the text and its replacement", "forge replace http://example.com https://example.com"),
		RunE: func(c *cobra.Command, args []string) error {
			a := &api.ReplaceArgs{Find: args[0], Replace: args[1], Word: f.word, Regexp: f.regexp, Variants: f.variants}
			return f.sweep(c.Context(), t, func(ctx context.Context, e *engine.Engine, at terminal.Place) (service.Swept, error) {
				a.Paths = at.Patterns(f.paths)
				return service.Replace(ctx, f.asking(e), service.At(at.Root), a)
			})
		},
	}
	f.add(c)
	c.Flags().StringArrayVar(&f.paths, "path", nil, "only this file, folder, or pattern such as docs/**/*.md; repeatable")
	c.Flags().BoolVar(&f.word, "word", false, "whole words only")
	c.Flags().BoolVar(&f.regexp, "regexp", false, "FIND is a regular expression (RE2 syntax); $1 in REPLACEMENT is its first group")
	c.Flags().BoolVar(&f.variants, "variants", false, "also other spellings of the name: fooBar, FooBar, foo_bar, FOO_BAR, foo-bar")
	return c
}

// asking is an engine whose answers name the flags of the command.
func (f *renameFlags) asking(e *engine.Engine) service.Sweeper {
	terms := engine.Terms{
		Path: "--path", Line: "--line", ScopeFile: "--scope file", ScopeAll: "--scope all", Everywhere: "--everywhere", Paths: "--path",
		Replace: "forge replace", Renamed: "rename", Replaced: "replace",
	}
	if f.dryRun {
		terms.Renamed, terms.Replaced = "would rename", "would replace"
	}
	return atTerminal{e, terms}
}

// atTerminal is a service.Sweeper for users who type flags.
type atTerminal struct {
	engine *engine.Engine
	terms  engine.Terms
}

// Sweep is that of the engine.
func (a atTerminal) Sweep(ctx context.Context, s workspace.Snapshot, name string, args json.RawMessage) (engine.Swept, error) {
	return a.engine.SweepIn(ctx, s, name, args, a.terms)
}

// add adds the flags that both commands have.
func (f *renameFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&f.yes, "yes", false, "apply without asking")
	f.control.add(c)
	c.Flags().BoolVar(&f.trust, "trust", false, terminal.TrustUsage)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the changes and write nothing, --trust included")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
}

// sweep computes the change, shows it, and applies it after consent, as forge apply does.
func (f *renameFlags) sweep(ctx context.Context, t terminal.Terminal, do sweep) error {
	return terminal.InPlace(t, f.dir, func(e *engine.Engine, at terminal.Place) error {
		if err := e.Recover(ctx, at.Root); err != nil { // before any file is read
			return blocked(err)
		}
		a := application{Dialogue: terminal.NewDialogue(t), engine: e, flags: f.applyFlags, at: at}
		a.flags.control.at = at
		a.outcome.Files, a.outcome.Hunks = []fileOutcome{}, []hunkAnswer{}
		return printed(t, f.json, &a.outcome, a.sweep(ctx, func() (service.Swept, error) { return do(ctx, e, at) }))
	})
}

// sweep computes a change of a project.
type sweep func(ctx context.Context, e *engine.Engine, at terminal.Place) (service.Swept, error)

func (a *application) sweep(ctx context.Context, do func() (service.Swept, error)) error {
	if a.flags.trust && !a.flags.dryRun {
		if err := a.engine.Trust(a.at.Root); err != nil {
			return blocked(err)
		}
	}
	found, err := do()
	switch {
	case ctx.Err() != nil:
		return a.outcome.conclude(context.Canceled)
	case err != nil:
		return terminal.ExitWith(terminal.ExitBlocked, err.Error())
	case found.Refused:
		a.outcome.State, a.outcome.Reason = stateRefused, found.Text
		return terminal.ExitWith(terminal.ExitFailed, inert.Text(found.Text))
	}
	a.outcome.Text = found.Text
	for line := range strings.Lines(found.Text) {
		fmt.Fprintf(a.Err, "[forge] %s\n", inert.Text(strings.TrimRight(line, "\n")))
	}
	a.preview(found.Change)
	if a.flags.dryRun {
		a.outcome.State = statePreviewed
		return nil
	}
	p := engine.Propose(found.Title, found.Change)
	a.outcome.RunID = p.RunID
	return a.outcome.conclude(a.offer(ctx, p))
}

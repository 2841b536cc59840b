package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/internal/inert"
)

// promptFlags are the flags of forge prompt.
type promptFlags struct {
	RunFlags
	node, written string
	dry           bool
}

// NewPrompt returns the command forge prompt.
func NewPrompt(t terminal.Terminal) *cobra.Command {
	var f promptFlags
	c := &cobra.Command{
		Use:   `prompt --dry-run "what to do"`,
		Short: "Show the exact prompt of a node of a run, section by section, without sending it",
		Example: `  forge prompt --dry-run "add a Sum function to package stats, with tests"
  forge prompt --dry-run --node orchestrator --json "fix the failing test"`,
		Args: terminal.OneTask,
		RunE: func(c *cobra.Command, args []string) error { return dryRun(c.Context(), t, f, args[0]) },
	}
	c.Flags().BoolVar(&f.dry, "dry-run", false, "send no request; required")
	c.Flags().StringVar(&f.node, "node", "executor", "the node: "+strings.Join(pipeline.Asking(), ", "))
	c.Flags().StringVar(&f.written, "written", "", "for the executor: a patch file with tests; the prompt of a run that has written these tests")
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().StringVar(&f.file, "file", "", "the file that the task is about, relative to the folder")
	c.Flags().StringVar(&f.recipe, "recipe", "implement", "kind of work: "+listed(mode.Recipes()))
	c.Flags().StringVar(&f.mode, "mode", "", "how thoroughly the run works: "+listed(modeNames())+"; default: your setting, or "+string(mode.Default))
	c.Flags().StringVar(&f.profile, "profile", "", "format of the change: "+listed(mode.Profiles())+"; default: by mode and recipe")
	c.Flags().BoolVar(&f.trust, "trust", false, terminal.TrustUsage)
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	f.model.Add(c)
	for _, node := range pipeline.Asking() {
		if node != c.Flags().Lookup("node").DefValue { // which writes the tests
			terminal.LeavesAt(c, "node", node, "written")
		}
	}
	return c
}

func dryRun(ctx context.Context, t terminal.Terminal, f promptFlags, task string) error {
	if !f.dry {
		return terminal.ExitWith(terminal.ExitUsage, "forge prompt sends nothing: --dry-run is required")
	}
	at, err := terminal.PlaceOf(f.dir)
	if err != nil {
		return err
	}
	f.file = at.File(f.file)
	return terminal.Explained(terminal.InProjectWith(t, at.Root, f.model.Models(), func(e *engine.Engine, root string) error {
		if err := f.check(root); err != nil {
			return err
		}
		if f.trust {
			if err := e.Trust(root); err != nil {
				return terminal.ExitWith(terminal.ExitBlocked, err.Error())
			}
		}
		tests, err := f.tests(ctx, t)
		if err != nil {
			return err
		}
		shown, err := service.Prompt(ctx, e, engine.Request{
			Task: task, Recipe: f.recipe, Mode: f.mode, Profile: f.profile, Snapshot: service.At(root).Snapshot(), Focus: execution.Focus{Path: terminal.FocusPath(f.file)},
		}, f.node, tests)
		if errors.Is(err, engine.ErrUntrusted) {
			return terminal.ExitWith(terminal.ExitBlocked, err.Error()+"; use --trust")
		}
		if err != nil {
			return f.unfit(err)
		}
		if f.json {
			return terminal.WriteJSON(t.Out, shown)
		}
		return printPrompt(t, shown)
	}))
}

// tests are the tests that the run is assumed to have written, as a patch.
func (f promptFlags) tests(ctx context.Context, t terminal.Terminal) (string, error) {
	if f.written == "" {
		return "", nil
	}
	return readPatch(ctx, t, f.written)
}

// unfit names the patch that does not parse or does not apply.
func (f promptFlags) unfit(err error) error {
	var unread *service.InputError
	var unfit *service.UnfitError
	switch {
	case errors.As(err, &unread):
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("patch %s: %v", f.written, err))
	case errors.As(err, &unfit):
		return terminal.ExitWith(terminal.ExitBlocked, fmt.Sprintf("patch %s: %v", f.written, err))
	}
	return err
}

// printPrompt prints a prompt: its sections, then its messages.
func printPrompt(t terminal.Terminal, p api.PromptResult) error {
	_, err := fmt.Fprint(t.Out, inert.Text(p.Document()))
	return err
}

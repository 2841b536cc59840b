package look

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/internal/inert"
)

// exploreOutcome is the output of forge explore --json.
type exploreOutcome struct {
	Provider string `json:"provider"`
	Text     string `json:"text"`
	Failed   bool   `json:"failed"` // text is an error message
	Cut      bool   `json:"cut"`    // text is incomplete
}

// NewExplore returns the command forge explore.
func NewExplore(t terminal.Terminal) *cobra.Command {
	var dir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "explore PROVIDER [ARGUMENT…]",
		Short: "Query a folder as models do: files, symbols, imports, tests, history, earlier runs",
		Long: "Query one provider of the folder, and print what a model would receive. It uses no model and writes nothing to\n" +
			"the folder; tests and linters run in a scratch copy of a trusted folder. Arguments are name=value, the first one without its name.\n\n" +
			tool.Providers().Describe(),
		Example: `  forge explore read_file main.go start=10 end=40
  forge explore search_code 'func \w+Handler' 'glob=**/*.go'
  forge explore import_graph engine/engine.go depth=2
  forge explore git_diff --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("the provider is missing; the providers are:\n%s", tool.Providers().Describe())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return exploreFolder(c.Context(), t.Safe(), dir, asJSON, args[0], args[1:])
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func exploreFolder(ctx context.Context, t terminal.Terminal, dir string, asJSON bool, provider string, words []string) error {
	p, known := tool.Providers().Named(provider)
	if !known {
		return terminal.ExitWith(terminal.ExitUsage, inert.Text(tool.Providers().Unknown(provider).Text))
	}
	args, err := p.Arguments(words)
	if err != nil {
		return terminal.ExitWith(terminal.ExitUsage, inert.Text(err.Error()))
	}
	return terminal.InFolder(t, dir, func(e *engine.Engine, root string) error {
		r, err := e.Explore(ctx, workspace.Snapshot{Root: root}, provider, args)
		switch {
		case err != nil:
			return searchFailed(ctx, err)
		case asJSON:
			err = terminal.WriteJSON(t.Out, exploreOutcome{provider, r.Text, r.Failed, r.Cut})
		case !r.Failed:
			fmt.Fprintln(t.Out, inert.Text(r.Text))
		}
		if err == nil && r.Failed {
			return terminal.ExitWith(terminal.ExitFailed, inert.Text(r.Text))
		}
		return err
	})
}

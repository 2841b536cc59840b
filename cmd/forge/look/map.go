package look

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/internal/inert"
)

// mapFlags are the flags of forge map.
type mapFlags struct {
	dir    string
	open   []string
	budget int
	json   bool
}

// NewMap returns the command forge map.
func NewMap(t terminal.Terminal) *cobra.Command {
	var f mapFlags
	c := &cobra.Command{
		Use:   "map [TEXT…]",
		Short: "Print a map of a folder as models receive it: files with their symbols, relevant files first, within a token budget",
		Example: `  forge map --budget 2000
  forge map "retry when the server answers 429" --open http/client.go`,
		Args: func(*cobra.Command, []string) error {
			if f.budget <= 0 {
				return fmt.Errorf("--budget %d: want a number of tokens above 0", f.budget)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return mapFolder(c.Context(), t.Safe(), f, strings.Join(args, " "))
		},
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().StringArrayVar(&f.open, "open", nil, "an open file, relative to the folder: related files come first; repeatable")
	c.Flags().IntVar(&f.budget, "budget", service.DefaultBudget, "limit of tokens, at four characters each")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

func mapFolder(ctx context.Context, t terminal.Terminal, f mapFlags, text string) error {
	root, err := terminal.Folder(f.dir)
	if err != nil {
		return err
	}
	open, err := openPaths(root, f.open)
	if err != nil {
		return terminal.ExitWith(terminal.ExitUsage, err.Error())
	}
	return withAtlas(ctx, t, root, func(a folderIndex) error {
		m, err := service.Map(ctx, a, service.At(root), service.Query{Text: text, Open: open, Budget: f.budget})
		if err != nil {
			return searchFailed(ctx, err)
		}
		if f.json {
			return terminal.WriteJSON(t.Out, m)
		}
		fmt.Fprint(t.Out, inert.Text(m.Text))
		if t.Interactive {
			fmt.Fprintf(t.Err, "[forge] %d of %d tokens, %d files with symbols\n", m.Tokens, f.budget, len(m.Files))
		}
		return nil
	})
}

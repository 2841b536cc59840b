package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/internal/inert"
)

// symbolsFlags are the flags of forge symbols.
type symbolsFlags struct {
	dir   string
	limit int
	json  bool
}

// NewSymbols returns the command forge symbols.
func NewSymbols(t terminal.Terminal) *cobra.Command {
	var f symbolsFlags
	c := &cobra.Command{
		Use:   "symbols TEXT|FILE",
		Short: "Find definitions by part of their name, or show the outline of a file",
		Example: `  forge symbols parseHdr
  forge symbols http/client.go`,
		Args: func(_ *cobra.Command, args []string) error { return f.check(args) },
		RunE: func(c *cobra.Command, args []string) error { return showSymbols(c.Context(), t.Safe(), f, args[0]) },
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().IntVarP(&f.limit, "limit", "k", 20, "limit of definitions; an outline is shown whole")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

// check rejects invalid combinations of flags.
func (f symbolsFlags) check(args []string) error {
	switch {
	case len(args) == 0 || len(args) == 1 && strings.TrimSpace(args[0]) == "":
		return errors.New("the name is missing: give a part of a name, or a file")
	case len(args) > 1:
		return fmt.Errorf("%d names: give one name, or a file", len(args))
	case f.limit <= 0:
		return fmt.Errorf("--limit %d: want a number of definitions above 0", f.limit)
	}
	return nil
}

// showSymbols shows the outline of the file of that name, or else the definitions whose name contains it.
func showSymbols(ctx context.Context, t terminal.Terminal, f symbolsFlags, what string) error {
	root, err := terminal.Folder(f.dir)
	if err != nil {
		return err
	}
	if path, err := insidePath(root, what); err == nil && isFile(filepath.Join(root, path)) {
		return showOutline(ctx, t, f, root, path)
	}
	return withAtlas(ctx, t, root, func(a folderIndex) error {
		symbols, err := service.Symbols(ctx, a, service.At(root), what, f.limit)
		if err != nil {
			return searchFailed(ctx, err)
		}
		if f.json {
			err = terminal.WriteJSON(t.Out, symbols)
		} else {
			printSymbols(t.Out, "", symbols)
		}
		if err == nil && len(symbols) == 0 {
			return terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("no definition in %s matches %q, and no such file exists", root, inert.Text(what)))
		}
		return err
	})
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func showOutline(ctx context.Context, t terminal.Terminal, f symbolsFlags, root, path string) error {
	content, err := service.At(root).Snapshot().ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("file %s: it is not in %s", path, root))
	}
	if err != nil {
		return terminal.ExitWith(terminal.ExitFailed, err.Error())
	}
	symbols, broken, err := service.Outline(ctx, terminal.NewOutliner(), path, string(content))
	if err != nil {
		return searchFailed(ctx, err)
	}
	if f.json {
		return terminal.WriteJSON(t.Out, symbols)
	}
	if len(symbols) == 0 {
		return terminal.ExitWith(terminal.ExitFailed, path+" has no outline: it declares nothing, or Forge does not support its language")
	}
	printOutline(t.Out, "", symbols)
	if broken {
		fmt.Fprintf(t.Err, "[forge] %s has syntax errors; the outline may be incomplete\n", terminal.OnOneLine(path))
	}
	return nil
}

func printOutline(w io.Writer, indent string, symbols []service.Outlined) {
	for _, s := range symbols {
		name := s.Name
		if s.Receiver != "" {
			name = "(" + s.Receiver + ")." + s.Name
		}
		fmt.Fprintf(w, "%5d  %s%s %s%s\n", s.Line, indent, s.Kind, terminal.OnOneLine(name), signature(s.Detail))
		printOutline(w, indent+"  ", s.Children)
	}
}

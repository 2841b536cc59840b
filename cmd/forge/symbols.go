package main

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

	"forge/cmd/forge/wiring"
	"forge/codeintel"
	"forge/engine/workspace"
	"forge/internal/inert"
)

// symbolsFlags are the flags of forge symbols.
type symbolsFlags struct {
	dir   string
	limit int
	json  bool
}

func newSymbols(t terminal) *cobra.Command {
	var f symbolsFlags
	c := &cobra.Command{
		Use:   "symbols TEXT|FILE",
		Short: "Find definitions by a part of their name, or show the outline of a file",
		Example: `  forge symbols parseHdr
  forge symbols http/client.go`,
		Args: func(_ *cobra.Command, args []string) error { return f.check(args) },
		RunE: func(c *cobra.Command, args []string) error { return showSymbols(c.Context(), t.safe(), f, args[0]) },
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().IntVarP(&f.limit, "limit", "k", 20, "how many definitions to show; an outline is shown whole")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

// check refuses calls that make no sense.
func (f symbolsFlags) check(args []string) error {
	switch {
	case len(args) == 0 || len(args) == 1 && strings.TrimSpace(args[0]) == "":
		return errors.New("there is nothing to look for: give a part of a name, or a file")
	case len(args) > 1:
		return fmt.Errorf("%d names at once cannot be looked for: give one, or a file", len(args))
	case f.limit <= 0:
		return fmt.Errorf("--limit %d: give how many definitions to show, more than 0", f.limit)
	}
	return nil
}

// showSymbols shows the outline of a file, if the folder has one of that name, or else what is called so.
func showSymbols(ctx context.Context, t terminal, f symbolsFlags, what string) error {
	root, err := folder(f.dir)
	if err != nil {
		return err
	}
	if path, err := insidePath(root, what); err == nil && isFile(filepath.Join(root, path)) {
		return showOutline(ctx, t, f, root, path)
	}
	return withAtlas(ctx, t, root, func(a folderIndex) error {
		hits, err := a.Symbols(ctx, what, f.limit)
		if err != nil {
			return searchFailed(ctx, err)
		}
		symbols := symbolsOf(workspace.Snapshot{Root: root}, hits)
		if f.json {
			err = writeJSON(t.out, symbols)
		} else {
			printSymbols(t.out, "", symbols)
		}
		if err == nil && len(symbols) == 0 {
			return &exitError{exitFailed, fmt.Sprintf("nothing in %s is called like %q, and there is no such file", root, inert.Text(what))}
		}
		return err
	})
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// outlined is a symbol of a file as forge symbols --json prints it.
type outlined struct {
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Receiver string     `json:"receiver,omitempty"` // of a method: its type
	Detail   string     `json:"detail,omitempty"`
	Doc      string     `json:"doc,omitempty"`
	Line     int        `json:"line"` // from 1, of its name
	Children []outlined `json:"children"`
}

func showOutline(ctx context.Context, t terminal, f symbolsFlags, root, path string) error {
	content, err := workspace.Snapshot{Root: root}.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &exitError{exitUsage, fmt.Sprintf("file %s: it is not inside of %s", path, root)}
	}
	if err != nil {
		return &exitError{exitFailed, err.Error()}
	}
	text := string(content)
	outline, err := wiring.NewOutliner().Outline(ctx, codeintel.LanguageOf(path), text)
	if err != nil {
		return searchFailed(ctx, err)
	}
	symbols := outlineOf(text, outline.Symbols)
	if f.json {
		return writeJSON(t.out, symbols)
	}
	if len(symbols) == 0 {
		return &exitError{exitFailed, path + " has no outline: it declares nothing, or is in no language that Forge reads"}
	}
	printOutline(t.out, "", symbols)
	if outline.Broken {
		fmt.Fprintf(t.err, "[forge] %s has syntax errors; this is what could be read\n", onOneLine(path))
	}
	return nil
}

func outlineOf(text string, symbols []codeintel.Symbol) []outlined {
	all := []outlined{}
	for _, s := range symbols {
		all = append(all, outlined{
			Name: s.Name, Kind: string(s.Kind), Receiver: s.Receiver, Detail: s.Detail, Doc: s.Doc,
			Line: lineOf(text, s.NameSpan.Start), Children: outlineOf(text, s.Children),
		})
	}
	return all
}

func printOutline(w io.Writer, indent string, symbols []outlined) {
	for _, s := range symbols {
		name := s.Name
		if s.Receiver != "" {
			name = "(" + s.Receiver + ")." + s.Name
		}
		fmt.Fprintf(w, "%5d  %s%s %s%s\n", s.Line, indent, s.Kind, onOneLine(name), signature(s.Detail))
		printOutline(w, indent+"  ", s.Children)
	}
}

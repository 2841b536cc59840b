package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/internal/inert"
)

// searchFlags are the flags of forge search.
type searchFlags struct {
	dir         string
	open        []string
	limit       int
	json, batch bool
}

// NewSearch returns the command forge search.
func NewSearch(t terminal.Terminal) *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search TEXT…",
		Short: "Find the files and symbols for a request in plain words, with the reasons; uses no model",
		Long: `Find the files and symbols for a request in plain words: by the words of texts, names and paths, by old
commits with similar messages, and by relations to open files. It uses no model and writes nothing to the folder.

With --batch each input line is a request, and each output line is its answer. docs/search.md describes the fields.`,
		Example: `  forge search "retry when the server answers 429"
  forge search parseHeader --open http/client.go
  forge search --batch --root . < requests.jsonl > answers.jsonl`,
		Args: func(c *cobra.Command, args []string) error { return f.check(c, args) },
		RunE: func(c *cobra.Command, args []string) error {
			if f.batch {
				return searchBatch(c.Context(), t, f.dir)
			}
			return searchFolder(c.Context(), t.Safe(), f, strings.Join(args, " "))
		},
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().StringVar(&f.dir, "root", ".", "the folder; the same as --dir")
	c.Flags().StringArrayVar(&f.open, "open", nil, "an open file, relative to the folder: related files come first; repeatable")
	c.Flags().IntVarP(&f.limit, "limit", "k", 10, "limit of files")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().BoolVar(&f.batch, "batch", false, "answer requests in JSON lines from stdin")
	terminal.TakesOnly(c, "batch", "dir", "root", "json")
	return c
}

// check rejects invalid combinations of flags.
func (f searchFlags) check(c *cobra.Command, args []string) error {
	switch {
	case c.Flags().Changed("dir") && c.Flags().Changed("root"):
		return errors.New("--root is the same as --dir: give one of them")
	case f.batch && len(args) > 0:
		return errors.New("--batch reads requests from stdin: leave the text out")
	case f.batch:
		return nil
	case strings.TrimSpace(strings.Join(args, "")) == "" && len(f.open) == 0:
		return errors.New("the text is missing: describe what to search for in plain words, as in\n  forge search \"retry when the server answers 429\"")
	case f.limit <= 0:
		return fmt.Errorf("--limit %d: want a number of files above 0", f.limit)
	}
	return nil
}

func searchFolder(ctx context.Context, t terminal.Terminal, f searchFlags, text string) error {
	root, err := terminal.Folder(f.dir)
	if err != nil {
		return err
	}
	open, err := openPaths(root, f.open)
	if err != nil {
		return terminal.ExitWith(terminal.ExitUsage, err.Error())
	}
	return withAtlas(ctx, t, root, func(a folderIndex) error {
		found, err := service.Search(ctx, a, service.At(root), service.Query{Text: text, Open: open, Limit: f.limit})
		if err != nil {
			return searchFailed(ctx, err)
		}
		if f.json {
			err = terminal.WriteJSON(t.Out, found)
		} else {
			printFound(t.Out, found)
		}
		if err == nil && len(found.Hits) == 0 && len(found.Symbols) == 0 {
			return terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("nothing in %s is about %q; try other words, or fewer", root, inert.Text(text)))
		}
		return err
	})
}

// openPaths converts paths from the user to paths of the index.
func openPaths(root string, names []string) ([]string, error) {
	var paths []string
	for _, name := range names {
		clean, err := insidePath(root, name)
		if err != nil {
			return nil, fmt.Errorf("open: %w", err)
		}
		paths = append(paths, clean)
	}
	return paths, nil
}

// insidePath returns the slash-separated path of a file relative to the folder. name is relative or absolute; the file need not exist.
func insidePath(root, name string) (string, error) {
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return "", fmt.Errorf("%s is not in %s", name, root)
		}
		name = rel
	}
	clean := path.Clean(filepath.ToSlash(name))
	if clean == "." || !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", fmt.Errorf("%q is not a file in %s", inert.Text(name), root)
	}
	return clean, nil
}

// symbolsShown is the number of symbols in the output.
const symbolsShown = 10

func printFound(w io.Writer, f service.Found) {
	for _, h := range f.Hits {
		printFile(w, h)
	}
	if len(f.Symbols) > 0 {
		fmt.Fprintln(w, "\nsymbols")
	}
	printSymbols(w, "    ", f.Symbols[:min(len(f.Symbols), symbolsShown)])
}

func printFile(w io.Writer, h service.FoundFile) {
	place := h.Path
	if h.FirstLine > 0 {
		place = fmt.Sprintf("%s:%d-%d", h.Path, h.FirstLine, h.LastLine)
	}
	fmt.Fprintf(w, "%s  (%s)\n", terminal.OnOneLine(place), terminal.OnOneLine(h.Why))
	for _, l := range h.Lines {
		fmt.Fprintf(w, "    %5d  %s\n", l.Line, terminal.OnOneLine(l.Text))
	}
}

func printSymbols(w io.Writer, indent string, symbols []service.FoundSymbol) {
	for _, s := range symbols {
		place := s.Path
		if s.Line > 0 {
			place = fmt.Sprintf("%s:%d", s.Path, s.Line)
		}
		fmt.Fprintf(w, "%s%s  %s %s%s\n", indent, terminal.OnOneLine(place), s.Kind, terminal.OnOneLine(s.Name), signature(s.Detail))
	}
}

// signature formats the detail of a symbol, to follow its name.
func signature(detail string) string {
	if detail == "" || strings.HasPrefix(detail, "(") {
		return terminal.OnOneLine(detail)
	}
	return " " + terminal.OnOneLine(detail)
}

// folderIndex is the part of an atlas that the commands for searching use.
type folderIndex interface {
	service.Index
	Wait(ctx context.Context) error // until the whole folder is indexed
}

// withAtlas calls use with the atlas of a folder, after every file of it has been indexed.
func withAtlas(ctx context.Context, t terminal.Terminal, root string, use func(a folderIndex) error) error {
	e, err := terminal.OpenEngine(t)
	if err != nil {
		return err
	}
	defer e.Close()
	a, err := e.Atlas(ctx, root)
	if err != nil {
		return searchFailed(ctx, err)
	}
	if err := awaitComplete(ctx, a, progressOf(t)); err != nil {
		return searchFailed(ctx, err)
	}
	return use(a)
}

// searchFailed returns the exit code for a folder that cannot be searched.
func searchFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
	}
	return terminal.ExitWith(terminal.ExitFailed, err.Error())
}

// tellEvery is the time between two updates of the progress line.
const tellEvery = 100 * time.Millisecond

// awaitComplete waits until the whole folder is indexed, and shows the progress.
func awaitComplete(ctx context.Context, a folderIndex, show *progress) error {
	if show.out == nil {
		return a.Wait(ctx)
	}
	defer show.clear()
	done := make(chan error, 1)
	go func() { done <- a.Wait(ctx) }() // awaited below
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			now := a.Status()
			show.update(now.Indexed, now.Total)
		}
	}
}

// progress shows the progress of an index on one line of a terminal; without a terminal it shows nothing.
type progress struct {
	out   io.Writer
	shown bool // a line is on the screen and must be cleared
}

// progressOf returns the progress of a terminal with a user.
func progressOf(t terminal.Terminal) *progress {
	if !t.Interactive {
		return &progress{}
	}
	return &progress{out: t.Err}
}

func (p *progress) update(read, of int) {
	p.shown = true
	terminal.Draw(p.out, "\r\x1b[K%s", fmt.Sprintf("[forge] reading the folder: %d of %d files", read, of))
}

func (p *progress) clear() {
	if p.shown {
		terminal.Draw(p.out, "\r\x1b[K%s", "")
	}
}

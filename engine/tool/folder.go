package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// unindexed is the result if the folder is not indexed.
func unindexed() Result {
	return failed("the folder is not indexed here: use search_code and read_file")
}

// defaultDepth is how far away imports are looked for.
const (
	defaultDepth = 1
	maxDepth     = 5
)

type importArgs struct {
	Path  string `json:"path" jsonschema:"a file"`
	Depth int    `json:"depth,omitempty" jsonschema:"1 if it is left out, 5 at most"`
}

func importGraph(ctx context.Context, w World, a importArgs) (Result, error) {
	_, refused, err := w.text(ctx, a.Path)
	if refused != "" || err != nil {
		return failed("%s", refused), err
	}
	return w.around(ctx, a.Path, a.Depth)
}

func (w World) around(ctx context.Context, path string, depth int) (Result, error) {
	if w.Folder == nil {
		return unindexed(), nil
	}
	if depth <= 0 {
		depth = defaultDepth
	}
	found, err := w.Folder.Imports(ctx, path, min(depth, maxDepth))
	if err != nil {
		return Result{}, fmt.Errorf("look for imports: %w", err)
	}
	var b strings.Builder
	list := func(what string, paths []string) {
		if len(paths) > 0 {
			fmt.Fprintf(&b, "%s:\n  %s\n", what, strings.Join(paths, "\n  "))
		}
	}
	list(path+" imports", found.Direct)
	list("those import", found.Transitive)
	list(path+" is imported by", found.Downstream)
	if b.Len() == 0 {
		return Result{Text: path + " imports no file of the folder, and none imports it"}, nil
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

// mapTokens is the budget of a map.
const mapTokens = 1000

type mapArgs struct {
	Query string `json:"query,omitempty" jsonschema:"what the map is for, in plain words"`
}

func repoMap(ctx context.Context, w World, a mapArgs) (Result, error) {
	if w.Folder == nil {
		return unindexed(), nil
	}
	text, err := w.Folder.Map(ctx, a.Query, mapTokens)
	if err != nil {
		return Result{}, fmt.Errorf("draw the map: %w", err)
	}
	if text == "" {
		return Result{Text: "the map is empty: nothing of the folder is known yet"}, nil
	}
	return Result{Text: text}, nil
}

// maxFound is how many files a query returns.
const maxFound = 15

type discoverArgs struct {
	Query string   `json:"query,omitempty" jsonschema:"in plain words, with identifiers as they come"`
	Paths []string `json:"paths,omitempty" jsonschema:"files that are to be changed"`
}

// discoverContext returns the files that a query is about, and what is around files.
func discoverContext(ctx context.Context, w World, a discoverArgs) (Result, error) {
	if w.Folder == nil {
		return unindexed(), nil
	}
	if strings.TrimSpace(a.Query) == "" && len(a.Paths) == 0 {
		return failed("set query to what you look for, or paths to the files to change"), nil
	}
	var parts []string
	if strings.TrimSpace(a.Query) != "" {
		text, err := w.found(ctx, a.Query)
		if err != nil {
			return Result{}, err
		}
		parts = append(parts, text)
	}
	paths := slices.Compact(slices.Sorted(slices.Values(a.Paths)))
	for _, p := range paths {
		r, err := w.around(ctx, p, 2)
		if err != nil {
			return Result{}, err
		}
		parts = append(parts, r.Text)
	}
	return Result{Text: strings.Join(parts, "\n")}, nil
}

func (w World) found(ctx context.Context, query string) (string, error) {
	hits, err := w.Folder.Find(ctx, query, maxFound)
	if err != nil {
		return "", fmt.Errorf("search the folder: %w", err)
	}
	if len(hits) == 0 {
		return "no file is about that", nil
	}
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(h.Path)
		if h.First > 0 {
			fmt.Fprintf(&b, ", lines %d to %d", h.First, h.Last)
		}
		if len(h.Why) > 0 {
			b.WriteString(": " + strings.Join(h.Why, ", "))
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

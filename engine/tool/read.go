package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/patch"
)

type readArgs struct {
	Path  string `json:"path" jsonschema:"a file, relative to the top of the folder"`
	Start int    `json:"start,omitempty" jsonschema:"first line, from 1"`
	End   int    `json:"end,omitempty" jsonschema:"last line"`
}

// readFile gives a file of the tree, or some of its lines. What does not fit is cut at the end of a line, and where to go on
// is said.
func readFile(ctx context.Context, w World, a readArgs) (Result, error) {
	text, refused, err := w.text(ctx, a.Path)
	if refused != "" || err != nil {
		return failed("%s", refused), err
	}
	lines := slices.Collect(strings.Lines(text))
	if len(lines) == 0 {
		return Result{Text: a.Path + " is empty"}, nil
	}
	first, last := max(a.Start, 1), len(lines)
	if a.End > 0 {
		last = min(a.End, last)
	}
	if first > last {
		return failed("%s has %d lines; lines %d to %d are none of them", a.Path, len(lines), first, max(a.End, first)), nil
	}
	return excerpt(a.Path, lines, first, last), nil
}

// room is what a tool leaves free for a heading of its own and what it says at the end.
const room = 300

// excerpt gives lines of a file below a heading, as many as there is room for.
func excerpt(name string, lines []string, first, last int) Result {
	var b strings.Builder
	shown := first - 1
	for shown < last && b.Len()+len(lines[shown]) <= MaxOutput-room-len(name) {
		b.WriteString(lines[shown])
		shown++
	}
	if shown < first { // one line that is too long
		return Result{Text: fmt.Sprintf("%s, line %d of %d, its beginning:\n%s", name, first, len(lines), head(lines[first-1], MaxOutput/2)), Cut: true}
	}
	heading := fmt.Sprintf("%s, lines %d to %d of %d:\n", name, first, shown, len(lines))
	r := Result{Text: heading + strings.TrimRight(b.String(), "\r\n")}
	if shown < last {
		r.Text, r.Cut = r.Text+fmt.Sprintf("\n[… cut here: go on with start %d]", shown+1), true
	}
	return r
}

// text gives the text of a file of the tree. refused says, for the model, why there is none.
func (w World) text(ctx context.Context, name string) (text, refused string, err error) {
	content, err := w.Tree.ReadFile(name)
	var outside *patch.PathError
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return "", w.noFile(ctx, name), nil
	case errors.As(err, &outside):
		return "", outside.Error(), nil
	case err != nil:
		return "", fmt.Sprintf("%s cannot be read here", name), nil //nolint:nilerr // a link out of the tree, a folder in its place: for the model to do without
	case !isText(content):
		return "", fmt.Sprintf("%s is no text (%d bytes)", name, len(content)), nil
	}
	return w.shown(name, string(content)), "", nil
}

// shown is what may be shown of a file.
func (w World) shown(name, text string) string {
	if w.Show == nil {
		return text
	}
	return w.Show(name, text)
}

func isText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}

// maxNamesakes is how many files are named that a model may have meant.
const maxNamesakes = 5

// noFile says that there is no such file, and which it may have been.
func (w World) noFile(ctx context.Context, name string) string {
	paths, _ := w.Tree.List(ctx)
	var same []string
	for _, p := range paths {
		if path.Base(p) == path.Base(name) && len(same) < maxNamesakes {
			same = append(same, p)
		}
	}
	said := fmt.Sprintf("there is no file %s", name)
	if len(same) > 0 {
		said += "; of that name there are: " + strings.Join(same, ", ")
	}
	return said
}

package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
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

// readFile returns a file of the tree, or some of its lines. What does not fit is cut at the end of a line, with the line to continue at.
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
		return failed("%s has %d lines; lines %d to %d do not exist", a.Path, len(lines), first, max(a.End, first)), nil
	}
	return excerpt(a.Path, lines, first, last), nil
}

// room is what a tool leaves free for its heading and its last line.
const room = 300

// excerpt returns lines of a file below a heading, as many as there is room for.
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
		r.Text, r.Cut = r.Text+fmt.Sprintf("\n[… cut here: continue with start %d]", shown+1), true
	}
	return r
}

// text returns the text of a file of the tree. refused is the reason, for the model, why there is none.
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

// noFile returns the message that the file does not exist, and which one may be meant.
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

type listArgs struct {
	Path string `json:"path,omitempty" jsonschema:"a folder; the top if it is left out"`
}

// listDir names what is in a folder: its files, and its folders with the number of files below.
func listDir(ctx context.Context, w World, a listArgs) (Result, error) {
	paths, err := w.Tree.List(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("list the files: %w", err)
	}
	folder := strings.Trim(strings.TrimPrefix(a.Path, "./"), "/")
	var entries []string
	counts := map[string]int{}
	for _, p := range paths {
		if !below(folder, p) || p == folder {
			continue
		}
		rest := p
		if folder != "" && folder != "." {
			rest = p[len(folder)+1:]
		}
		name, _, inFolder := strings.Cut(rest, "/")
		if inFolder {
			name += "/"
		}
		if counts[name] == 0 {
			entries = append(entries, name)
		}
		counts[name]++
	}
	if len(entries) == 0 {
		return failed("there is no folder %s", a.Path), nil
	}
	for i, name := range entries {
		if strings.HasSuffix(name, "/") {
			entries[i] = fmt.Sprintf("%s (%d files)", name, counts[name])
		}
	}
	return Result{Text: strings.Join(entries, "\n")}, nil
}

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"such as src/**/*.ts"`
}

func glob(ctx context.Context, w World, a globArgs) (Result, error) {
	matches, err := globbed(a.Pattern)
	if err != nil || a.Pattern == "" {
		return failed("%q is no pattern of paths", a.Pattern), nil //nolint:nilerr // it is the answer
	}
	paths, err := w.Tree.List(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("list the files: %w", err)
	}
	var found []string
	for _, p := range paths {
		if matches(p) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return Result{Text: "no path matches"}, nil
	}
	return Result{Text: strings.Join(found, "\n")}, nil
}

// globbed makes a pattern of paths a function. "**" matches any folders, "*" and "?" match within one name, {a,b} matches
// either. A pattern without a slash is for the names of files in any folder. An empty one matches everything.
func globbed(pattern string) (func(path string) bool, error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	deep := !strings.Contains(pattern, "/")
	if pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/"); deep {
		pattern = "**/" + pattern
	}
	matches, err := regexp.Compile("^" + expression(pattern) + "$")
	if err != nil {
		return nil, fmt.Errorf("%q is no pattern of paths", pattern)
	}
	return matches.MatchString, nil
}

// expression is a pattern of paths as a regular expression.
func expression(pattern string) string {
	var b strings.Builder
	depth := 0
	for rest := pattern; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			rest = rest[3:]
			continue
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[2:]
			continue
		}
		switch c := rest[0]; {
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			b.WriteString("(?:")
			depth++
		case c == '}' && depth > 0:
			b.WriteString(")")
			depth--
		case c == ',' && depth > 0:
			b.WriteString("|")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
		rest = rest[1:]
	}
	return b.String()
}

package tool

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// The limits of what a search returns, and reads.
const (
	maxMatches  = 100     // lines
	maxLine     = 200     // bytes of a line
	maxSearched = 1 << 20 // bytes of a file
)

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression, or a text if literal is true"`
	Literal bool   `json:"literal,omitempty"`
	Glob    string `json:"glob,omitempty" jsonschema:"only files whose path matches, such as **/*.go"`
}

func searchCode(ctx context.Context, w World, a searchArgs) (Result, error) {
	only, err := globbed(a.Glob)
	if err != nil {
		return failed("%v", err), nil
	}
	return w.search(ctx, a.Pattern, a.Literal, only)
}

type grepArgs struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression, or a text if literal is true"`
	Literal bool   `json:"literal,omitempty"`
	Path    string `json:"path,omitempty" jsonschema:"a file or folder"`
}

func grep(ctx context.Context, w World, a grepArgs) (Result, error) {
	return w.search(ctx, a.Pattern, a.Literal, func(p string) bool { return below(a.Path, p) })
}

// below reports whether a path is a file or in a folder.
func below(folder, p string) bool {
	folder = strings.Trim(strings.TrimPrefix(folder, "./"), "/")
	return folder == "" || folder == "." || p == folder || strings.HasPrefix(p, folder+"/")
}

// search returns the lines of the tree's texts that match, by path. When the time is up, it returns what it found.
func (w World) search(ctx context.Context, pattern string, literal bool, only func(path string) bool) (Result, error) {
	if pattern == "" {
		return failed("the pattern is empty"), nil
	}
	if literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return failed("the pattern is no regular expression (RE2 syntax): %v. Set literal to true to look for it literally", plainRegexp(err)), nil
	}
	var found matches
	err = w.texts(ctx, only, func(path, text string) error {
		for number, line := range w.searched(path, text, compiled) {
			if compiled.MatchString(line) {
				found.add(path, number, line)
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return late(ctx, found.shown.String())
	}
	if err != nil {
		return Result{}, err
	}
	return found.result(), nil
}

// matches are the lines that a search has found: as many as there is room for, and of the others how many there are, and where.
type matches struct {
	shown   strings.Builder
	n, all  int
	full    bool
	left    []hiddenIn // what is not shown, in the order of the files
	inFiles int
	last    string
}

// hiddenIn counts the lines of a file that are not shown.
type hiddenIn struct {
	path  string
	lines int
}

func (m *matches) add(path string, number int, line string) {
	m.all++
	if path != m.last {
		m.last = path
		m.inFiles++
	}
	text := fmt.Sprintf("%s:%d: %s\n", path, number, shortened(line))
	if m.full = m.full || m.n == maxMatches || m.shown.Len()+len(text) > MaxOutput-2*room; !m.full {
		m.n++
		m.shown.WriteString(text)
		return
	}
	if last := len(m.left) - 1; last >= 0 && m.left[last].path == path {
		m.left[last].lines++
	} else {
		m.left = append(m.left, hiddenIn{path, 1})
	}
}

// result returns the answer of a search.
func (m *matches) result() Result {
	if m.all == 0 {
		return Result{Text: "no line matches"}
	}
	text := strings.TrimRight(m.shown.String(), "\n")
	if len(m.left) == 0 {
		return Result{Text: text}
	}
	said := fmt.Sprintf("\n[… cut here: %d of %d matches in %d files are shown; the others are in", m.n, m.all, m.inFiles)
	for i, hidden := range m.left {
		next := fmt.Sprintf(" %s (%d)", hidden.path, hidden.lines)
		if len(said)+len(next) > 2*room-100 {
			said += fmt.Sprintf(" and %d more files", len(m.left)-i)
			break
		}
		said += next
	}
	return Result{Text: text + said + ". Name a folder, or look for something rarer]", Cut: true}
}

// searched are the lines of a file, as they may be shown if there is anything to be found in it.
func (w World) searched(path, text string, matches *regexp.Regexp) iter.Seq2[int, string] {
	for _, line := range lines(text) {
		if matches.MatchString(line) {
			return lines(w.shown(path, text))
		}
	}
	return lines("")
}

// late is the answer of a search whose time is up.
func late(ctx context.Context, found string) (Result, error) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || found == "" {
		return Result{}, ctx.Err()
	}
	return Result{Text: head(found, MaxOutput-room) + "\n[… not all files were looked at: the time was up]", Cut: true}, nil
}

func plainRegexp(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// lines are the lines of a text with their numbers, without their ends.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(text) {
			number++
			if !yield(number, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

func shortened(line string) string {
	line = strings.TrimRight(line, " \t")
	if len(line) <= maxLine {
		return line
	}
	return head(line, maxLine) + "…"
}

package tool

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// The most that a search gives, and looks at.
const (
	maxMatches  = 100
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

// search gives the lines of the tree's texts that match, by path. When the time is up, it gives what it found.
func (w World) search(ctx context.Context, pattern string, literal bool, only func(path string) bool) (Result, error) {
	if pattern == "" {
		return failed("the pattern is empty"), nil
	}
	if literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	matches, err := regexp.Compile(pattern)
	if err != nil {
		return failed("the pattern is no regular expression (RE2 syntax): %v. Set literal to true to look for it as it stands", plainRegexp(err)), nil
	}
	paths, err := w.Tree.List(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("list the files: %w", err)
	}
	var found strings.Builder
	n := 0
	for _, p := range paths {
		if ctx.Err() != nil {
			return late(ctx, found.String())
		}
		if !only(p) {
			continue
		}
		content, err := w.Tree.ReadFile(p)
		if err != nil || len(content) > maxSearched || !isText(content) {
			continue // gone meanwhile, or nothing a model could read
		}
		for number, line := range w.searched(p, string(content), matches) {
			if !matches.MatchString(line) {
				continue
			}
			if n == maxMatches {
				return Result{Text: head(found.String(), MaxOutput-room) + fmt.Sprintf("\n[… more than %d matches: ask for something rarer]", maxMatches), Cut: true}, nil
			}
			n++
			fmt.Fprintf(&found, "%s:%d: %s\n", p, number, shortened(line))
		}
	}
	if n == 0 {
		return Result{Text: "no line matches"}, nil
	}
	return Result{Text: strings.TrimRight(found.String(), "\n")}, nil
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

// late is what a search gives whose time is up.
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
	line = strings.TrimSpace(line)
	if len(line) <= maxLine {
		return line
	}
	return head(line, maxLine) + "…"
}

package tool

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

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

// globbed makes a pattern of paths a function. "**" stands for any folders, "*" and "?" for what is in one name, {a,b} for
// either. A pattern without a slash is for the names of files in any folder. An empty one matches everything.
func globbed(pattern string) (func(path string) bool, error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if !strings.Contains(pattern, "/") {
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

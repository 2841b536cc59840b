package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/codeintel"
)

// replaceTool is the tool that replaces a text wherever it occurs.
const replaceTool = "replace_all"

type replaceArgs struct {
	Find     string   `json:"find" jsonschema:"the text to replace, exactly as it stands"`
	Replace  string   `json:"replace,omitempty" jsonschema:"what is to stand there; nothing removes it. With regexp, $1 is the first group"`
	Paths    []string `json:"paths,omitempty" jsonschema:"only these files, folders, or patterns such as docs/**/*.md"`
	Word     bool     `json:"word,omitempty" jsonschema:"whole words only"`
	Regexp   bool     `json:"regexp,omitempty" jsonschema:"find is a regular expression (RE2 syntax)"`
	Variants bool     `json:"variants,omitempty" jsonschema:"fooBar, FooBar, foo_bar, FOO_BAR and foo-bar together"`
}

// replaceAll replaces a text in all files of the folder that git does not ignore, or in some of them.
func replaceAll(ctx context.Context, w World, a replaceArgs) (Result, error) {
	pattern, err := codeintel.NewPattern(a.Find, a.Replace, codeintel.PatternOptions{Word: a.Word, Regexp: a.Regexp, Variants: a.Variants})
	if err != nil {
		return failed("nothing was changed: %v", err), nil
	}
	only, err := among(a.Paths)
	if err != nil {
		return failed("nothing was changed: %v", err), nil
	}
	s, foreign := sweep{world: w}, 0
	err = w.texts(ctx, only, func(path, text string) error {
		after, n := pattern.In(text)
		switch {
		case n == 0:
		case isBorrowed(path) && len(a.Paths) == 0:
			foreign += n
		case after != text:
			s.add(swept{path, text, after, n}, func(shown string) int { _, n := pattern.In(shown); return n })
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	if foreign > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s in %s stay as they are: name the folder in paths if they are meant, too", count(foreign, "place"), strings.Join(borrowed, ", ")))
	}
	if len(s.files) == 0 {
		return failed("nothing was changed: %s", strings.Join(append([]string{s.nowhere(a)}, s.notes...), "\n")), nil
	}
	return s.result(fmt.Sprintf("replaced %q by %q", a.Find, a.Replace))
}

func (s *sweep) nowhere(a replaceArgs) string {
	where := "any text of the folder"
	if len(a.Paths) > 0 {
		where = "any text of " + strings.Join(a.Paths, ", ")
	}
	return fmt.Sprintf("%q does not stand in %s", a.Find, where)
}

// among makes a function of paths and patterns of paths; none are all.
func among(paths []string) (func(path string) bool, error) {
	var wanted []func(string) bool
	for _, p := range paths {
		if !strings.ContainsAny(p, "*?{") {
			wanted = append(wanted, func(path string) bool { return below(p, path) })
			continue
		}
		matches, err := globbed(p)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, matches)
	}
	return func(path string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(wanted, func(matches func(string) bool) bool { return matches(path) })
	}, nil
}

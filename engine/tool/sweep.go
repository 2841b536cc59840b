package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/patch"
)

// Bounds of what one sweep changes. What is more is refused, with the counts: it is rarely what was meant.
const (
	maxSweptFiles  = 500
	maxSweptPlaces = 20_000
)

// swept is a file that a sweep changes.
type swept struct {
	path, before, after string
	places              int
}

// sweep collects what is changed in many files.
type sweep struct {
	world World
	files []swept
	notes []string // for readers of the result
}

// borrowed are folders with the code of others, which is not the folder's own to change.
var borrowed = []string{"vendor", "node_modules", "third_party", "site-packages"}

// isBorrowed reports whether a file is the work of others that is kept in the folder.
func isBorrowed(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return slices.Contains(borrowed, part) })
}

// texts calls do with every text of the tree that is not too large and that only wants, until do fails.
func (w World) texts(ctx context.Context, only func(path string) bool, do func(path, text string) error) error {
	paths, err := w.Tree.List(ctx)
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	for _, p := range paths {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !only(p) {
			continue
		}
		content, err := w.Tree.ReadFile(p)
		if err != nil || len(content) > maxSearched || !isText(content) {
			continue // gone meanwhile, or no text
		}
		if err := do(p, string(content)); err != nil {
			return err
		}
	}
	return nil
}

// add records a change of a file. If it would change a secret, the file stays as it is.
func (s *sweep) add(f swept, again func(shown string) int) {
	if shown := s.world.shown(f.path, f.before); shown != f.before && again(shown) != f.places {
		s.notes = append(s.notes, f.path+" stays as it is: the text is in a secret there")
		return
	}
	s.files = append(s.files, f)
}

// places is how many places are changed.
func (s *sweep) places() (n int) {
	for _, f := range s.files {
		n += f.places
	}
	return n
}

// maxListed is how many files a result names with their counts.
const maxListed = 60

// result is the change as a whole, with a count for each file. heading names what was done.
func (s *sweep) result(heading string) (Result, error) {
	slices.SortFunc(s.files, func(a, b swept) int { return strings.Compare(a.path, b.path) })
	if len(s.files) > maxSweptFiles || s.places() > maxSweptPlaces {
		return failed("nothing was changed: %s in %s would change; the limits are %d and %d. The first:\n%s\nSelect files with %s, or give a rarer text",
			count(s.places(), "place"), count(len(s.files), "file"), maxSweptPlaces, maxSweptFiles, s.list(), s.world.Terms.Named().Paths), nil
	}
	var set patch.ChangeSet
	for _, f := range s.files {
		set.Files = append(set.Files, patch.FileChange{Kind: patch.Update, Path: f.path, Before: f.before, After: f.after})
	}
	r, err := changed(set, nil)
	if err != nil || r.Failed {
		return r, err
	}
	r.Text = fmt.Sprintf("%s: %s in %s\n%s", heading, count(s.places(), "place"), count(len(s.files), "file"), s.list())
	if len(s.notes) > 0 {
		r.Text += "\n" + strings.Join(s.notes, "\n")
	}
	return r, nil
}

// list names the files with their counts.
func (s *sweep) list() string {
	var b strings.Builder
	for i, f := range s.files {
		if i == maxListed {
			fmt.Fprintf(&b, "… and %s\n", count(len(s.files)-i, "more file"))
			break
		}
		fmt.Fprintf(&b, "%s: %d\n", f.path, f.places)
	}
	return strings.TrimRight(b.String(), "\n")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// replaceTool is the tool that replaces a text wherever it occurs.
const replaceTool = "replace_all"

type replaceArgs struct {
	Find     string   `json:"find" jsonschema:"the text to replace, exactly as it is"`
	Replace  string   `json:"replace,omitempty" jsonschema:"the new text; empty to delete. With regexp, $1 is the first group"`
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
		s.notes = append(s.notes, fmt.Sprintf("%s in %s stay as they are: name the folder in %s if they are meant, too", count(foreign, "place"), strings.Join(borrowed, ", "), w.Terms.Named().Paths))
	}
	if len(s.files) == 0 {
		return failed("nothing was changed: %s", strings.Join(append([]string{s.nowhere(a)}, s.notes...), "\n")), nil
	}
	return s.result(fmt.Sprintf("%s %q by %q", w.Terms.Named().Replaced, a.Find, a.Replace))
}

func (s *sweep) nowhere(a replaceArgs) string {
	where := "any text of the folder"
	if len(a.Paths) > 0 {
		where = "any text of " + strings.Join(a.Paths, ", ")
	}
	return fmt.Sprintf("%q does not occur in %s", a.Find, where)
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
		wanted = append(wanted, func(path string) bool { return below(p, path) || matches(path) }) // folders may have such names
	}
	return func(path string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(wanted, func(matches func(string) bool) bool { return matches(path) })
	}, nil
}

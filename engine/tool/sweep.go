package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	notes []string // for the reader of the result
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
		s.notes = append(s.notes, f.path+" stays as it is: the text stands in a secret there")
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

// result is the change as a whole, with a count for each file. heading says what was done.
func (s *sweep) result(heading string) (Result, error) {
	slices.SortFunc(s.files, func(a, b swept) int { return strings.Compare(a.path, b.path) })
	if len(s.files) > maxSweptFiles || s.places() > maxSweptPlaces {
		return failed("nothing was changed: %s in %s would be changed, and at most %d and %d are at once. The first of them:\n%s\nSay with paths which files are meant, or ask for something rarer",
			count(s.places(), "place"), count(len(s.files), "file"), maxSweptPlaces, maxSweptFiles, s.list()), nil
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

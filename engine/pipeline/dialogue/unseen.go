package dialogue

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/patch"
)

// unseen rejects the replacement or deletion of a file of the folder that the request of the model does not show whole: the
// model cannot know what is lost. Edits of lines that it quotes are proof enough, and files that the run has created may be
// replaced. replaces reports which files get a whole new text. What is shown follows from the documents of the run, so that
// a replayed run decides the same.
func (p *Phase) unseen(changes patch.ChangeSet, replaces func(path string) bool) error {
	var errs []error
	for _, f := range changes.Files {
		deleted := f.Kind == patch.Delete
		if !deleted && !(f.Kind == patch.Update && replaces(f.Path)) || strings.TrimSpace(f.Before) == "" {
			continue
		}
		if p.sees(f.Path) || created(p.Now.Tree.Changes, f.Path) || deleted && integrity.Named(p.Run.Task.Text, f.Path) {
			continue
		}
		verb := "replaced"
		if deleted {
			verb = "deleted"
		}
		errs = append(errs, fmt.Errorf(`read it first: %s was not shown to you as a whole, and would be %s. Ask for all of it in %q with the tool read_file, `+
			`or change lines of it that you know with "edits" or "patch"`, f.Path, verb, asksIn(p.Profile)))
	}
	return errors.Join(errs...)
}

// sees reports whether the request that the model answers has all of a file, maybe in several results of read_file. A text that was cut
// to fit counts for nothing.
func (p *Phase) sees(path string) bool {
	var shown []prompt.Lines
	for _, s := range slices.Concat(p.document.Sections, p.Log) {
		if s.Source == path && s.Lines.Of > 0 && s.Uncut(p.sent) {
			shown = append(shown, s.Lines)
		}
	}
	slices.SortFunc(shown, func(a, b prompt.Lines) int { return a.First - b.First })
	next := 1
	for _, l := range shown {
		if l.First <= next {
			next = max(next, l.Last+1)
		}
		if next > l.Of {
			return true
		}
	}
	return false
}

// created reports whether an earlier step of the run has created the file.
func created(changes []patch.ChangeSet, path string) bool {
	return slices.ContainsFunc(changes, func(set patch.ChangeSet) bool {
		return slices.ContainsFunc(set.Files, func(f patch.FileChange) bool { return f.Path == path && f.Kind == patch.Create })
	})
}

// read returns the file that the result of an action shows, and its lines; empty if there is none. Of a binary file, its being one is all.
func (a action) read(result string) (file string, lines prompt.Lines) {
	rest, named := strings.CutPrefix(result, a.Args.Path)
	if a.Tool != "read_file" || !named {
		return "", lines
	}
	if strings.HasPrefix(rest, " is no text") {
		return a.Args.Path, prompt.AllLines()
	}
	if _, err := fmt.Sscanf(rest, ", lines %d to %d of %d:", &lines.First, &lines.Last, &lines.Of); err != nil {
		return "", prompt.Lines{}
	}
	return a.Args.Path, lines
}

// allowTool checks the changes of a model's tool. A tool that the user named is allowed.
func (p *Phase) allowTool(a action, changes patch.ChangeSet) error {
	allowed := p.allowSwept([]action{a}, []patch.ChangeSet{changes}, changes, patch.ChangeSet{}, p.Explanation)
	if len(p.Run.Task.Direct) > 0 {
		return allowed
	}
	replaces := func(string) bool { return a.Tool == "write_file" }
	return errors.Join(p.unseen(changes, replaces), allowed)
}

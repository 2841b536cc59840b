package dialogue

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// unseen rejects the replacement or deletion of a file of the folder that the model has not seen: it cannot know what is
// lost. Edits of lines that it quotes are proof enough, and the run's own files may be replaced. replaces reports which
// files get a whole new text. What was shown follows from the documents of the run, so that a replayed run decides the
// same.
func (p *Phase) unseen(changes patch.ChangeSet, replaces func(path string) bool) error {
	var errs []error
	for _, f := range changes.Files {
		deleted := f.Kind == patch.Delete
		if !deleted && !(f.Kind == patch.Update && replaces(f.Path)) || strings.TrimSpace(f.Before) == "" {
			continue
		}
		if p.wasShown(f.Path) || p.madeHere(f.Path) || deleted && integrity.Named(p.Run.Task.Text, f.Path) {
			continue
		}
		verb := "replaced"
		if deleted {
			verb = "deleted"
		}
		errs = append(errs, fmt.Errorf(`read it first: %s was not shown to you and would be %s as a whole. Ask for it in %q with the tool read_file, `+
			`or change lines of it that you know with "edits" or "patch"`, f.Path, verb, asksIn(p.Profile)))
	}
	return errors.Join(errs...)
}

// wasShown reports whether the model has seen a text of the file, whole or an excerpt, but not only signatures.
func (p *Phase) wasShown(path string) bool {
	return slices.Contains(p.Findings.Seen, path) || slices.Contains(p.looked, path) || slices.ContainsFunc(p.document.Sections, func(s prompt.Section) bool {
		return s.Source == path && showsText(s)
	})
}

// showsText reports whether a section is a text of a file, not only its signatures.
func showsText(s prompt.Section) bool { return s.Source != "" && s.Name == s.Source }

// madeHere reports whether an earlier step of the run has written the file.
func (p *Phase) madeHere(path string) bool {
	for _, set := range p.Now.Tree.Changes {
		if slices.ContainsFunc(set.Files, func(f patch.FileChange) bool { return f.Path == path }) {
			return true
		}
	}
	return false
}

// sawBy records what a tool has shown the model. For a binary file, its being one is enough.
func (p *Phase) sawBy(a action, said step.ToolResult) {
	if a.Tool == "read_file" && (!said.Failed || strings.Contains(said.Text, "is no text")) {
		p.looked = append(p.looked, a.Args.Path)
		p.Findings.AddShown(a.Args.Path)
	}
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

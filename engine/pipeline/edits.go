package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/secret"
	"forge/patch"
)

// edits is the executor's answer.
type edits struct {
	Explanation string     `json:"explanation" jsonschema:"two sentences for a reviewer"`
	Files       []fileEdit `json:"files" jsonschema:"whole files"`
	Patch       string     `json:"patch" jsonschema:"a V4A patch, or empty"`
	Blocked     string     `json:"blocked" jsonschema:"what is missing, normally empty"`
}

type fileEdit struct {
	Path    string `json:"path"`
	Action  string `json:"action" jsonschema:"create, write or delete"`
	Content string `json:"content"`
}

// resolve turns the answer into the texts it means, or says what does not fit; nothing is written. A hunk that
// is only like what stands somewhere does not fit: patch.Locate is for a front with a person, here the model is
// asked again with the refusal.
func (e edits) resolve(files patch.Files) (patch.ChangeSet, error) {
	var changes patch.ChangeSet
	if strings.TrimSpace(e.Patch) != "" {
		parsed, err := patch.Parse(e.Patch)
		if err != nil {
			return changes, err
		}
		if changes, err = patch.Resolve(parsed, files); err != nil {
			return patch.ChangeSet{}, misled(e.Patch, err)
		}
	}
	whole, err := e.whole(files)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	if changes, err = union(changes, whole); err != nil {
		return patch.ChangeSet{}, err
	}
	return changes, unmarked(changes)
}

// unmarked refuses changes that would write what stands for a secret into a file: the secret would be lost.
func unmarked(changes patch.ChangeSet) error {
	for _, f := range changes.Files {
		if mark := secret.MarkAdded(f.Before, f.After); mark != "" {
			return fmt.Errorf("the answer writes %s into %s: that stands for a secret you are not shown, and is no text of the file. "+
				"Change the lines around it with a patch whose lines do not have it, and leave it as it is", mark, f.Path)
		}
	}
	return nil
}

// misled adds to why a patch does not fit that it names what is in no file.
func misled(text string, err error) error {
	if mark := secret.MarkIn(text); mark != "" {
		return fmt.Errorf("%w\nThe patch has %s in it: that stands for a secret you are not shown, so that no line with it is found. "+
			"Find the place by other lines", err, mark)
	}
	return err
}

// whole resolves the whole files of an answer.
func (e edits) whole(files patch.Files) (patch.ChangeSet, error) {
	if len(e.Files) == 0 {
		return patch.ChangeSet{}, nil
	}
	entries := make([]patch.Entry, len(e.Files))
	for i, f := range e.Files {
		if err := oneOf("action", f.Action, "create", "write", "delete"); err != nil {
			return patch.ChangeSet{}, fmt.Errorf("%s: %w", f.Path, err)
		}
		entries[i] = patch.Entry{Path: f.Path, Action: patch.Action(f.Action), Content: f.Content}
	}
	return patch.Whole(entries, files)
}

// union is both change sets as one; they may not touch the same path.
func union(a, b patch.ChangeSet) (patch.ChangeSet, error) {
	all := patch.ChangeSet{Files: slices.Concat(a.Files, b.Files)}
	named := map[string]bool{}
	for _, f := range all.Files {
		for _, path := range []string{f.Path, f.From} {
			if path != "" && named[path] {
				return patch.ChangeSet{}, fmt.Errorf("%s is changed twice in one answer", path)
			}
			named[path] = true
		}
	}
	slices.SortFunc(all.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

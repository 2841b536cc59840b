package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

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

// resolve turns the answer into the texts it means, or says what does not fit; nothing is written.
func (e edits) resolve(files patch.Files) (patch.ChangeSet, error) {
	var changes patch.ChangeSet
	if strings.TrimSpace(e.Patch) != "" {
		parsed, err := patch.Parse(e.Patch)
		if err != nil {
			return changes, err
		}
		if changes, err = patch.Resolve(parsed, files); err != nil {
			return patch.ChangeSet{}, err
		}
	}
	for _, f := range e.Files {
		change, err := f.resolve(files)
		if err != nil {
			return patch.ChangeSet{}, err
		}
		if slices.ContainsFunc(changes.Files, func(c patch.FileChange) bool { return c.Path == f.Path || c.From == f.Path }) {
			return patch.ChangeSet{}, fmt.Errorf("%s is changed twice in one answer", f.Path)
		}
		if change.Before != change.After || change.Kind != patch.Update {
			changes.Files = append(changes.Files, change)
		}
	}
	slices.SortFunc(changes.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

func (f fileEdit) resolve(files patch.Files) (patch.FileChange, error) {
	if err := patch.CheckPath(f.Path); err != nil {
		return patch.FileChange{}, err
	}
	if err := oneOf("action", f.Action, "create", "write", "delete"); err != nil {
		return patch.FileChange{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	before, err := files.ReadFile(f.Path)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return patch.FileChange{}, fmt.Errorf("read %s: %w", f.Path, err)
	}
	return f.against(string(before), exists)
}

func (f fileEdit) against(before string, exists bool) (patch.FileChange, error) {
	switch {
	case f.Action == "create" && exists:
		return patch.FileChange{}, fmt.Errorf("%s exists: use a patch, or the action \"write\" to replace all of it", f.Path)
	case f.Action == "delete" && !exists:
		return patch.FileChange{}, fmt.Errorf("%s cannot be deleted: there is no such file", f.Path)
	case f.Action == "delete":
		return patch.FileChange{Kind: patch.Delete, Path: f.Path, Before: before}, nil
	case !exists:
		return patch.FileChange{Kind: patch.Create, Path: f.Path, After: f.Content}, nil
	}
	return patch.FileChange{Kind: patch.Update, Path: f.Path, Before: before, After: patch.AdoptStyle(before, f.Content)}, nil
}

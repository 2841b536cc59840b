package dialogue

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/secret"
	"forge/patch"
)

// unmarked rejects changes that would write the mark of a secret into a file: the secret would be lost.
func unmarked(changes patch.ChangeSet) error {
	for _, f := range changes.Files {
		if mark := secret.MarkAdded(f.Before, f.After); mark != "" {
			return fmt.Errorf("the answer writes %s into %s: that stands for a secret you are not shown, and is no text of the file. "+
				"Change the lines around it with a patch whose lines do not have it, and leave it as it is", mark, f.Path)
		}
	}
	return nil
}

// misled adds to the error of an edit that the edit contains the mark of a secret.
func misled(text string, err error) error {
	if err == nil {
		return nil
	}
	if mark := secret.MarkIn(text); mark != "" {
		return fmt.Errorf("%w\nThe patch has %s in it: that stands for a secret you are not shown, so that no line with it is found. "+
			"Find the place by other lines", err, mark)
	}
	return err
}

// union joins two change sets; a path may be in only one of them.
func union(a, b patch.ChangeSet) (patch.ChangeSet, error) {
	all := patch.ChangeSet{Files: slices.Concat(a.Files, b.Files)}
	named := map[string]bool{}
	for _, f := range all.Files {
		for _, path := range []string{f.Path, f.From} {
			if path != "" && named[path] {
				return patch.ChangeSet{}, fmt.Errorf("%s is changed twice in one answer: name each path in \"files\", in \"edits\" or in \"patch\", and not in two of them", path)
			}
			named[path] = true
		}
	}
	slices.SortFunc(all.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

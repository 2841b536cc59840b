package patch

import (
	"slices"
	"strings"
)

// Inverse returns the change set that undoes s: it deletes created files, creates deleted ones, and reverts changes.
func (s ChangeSet) Inverse() ChangeSet {
	inverse := ChangeSet{Files: make([]FileChange, 0, len(s.Files))}
	for _, f := range s.Files {
		inverse.Files = append(inverse.Files, f.inverse())
	}
	slices.SortFunc(inverse.Files, byPath)
	return inverse
}

func (f FileChange) inverse() FileChange {
	back := FileChange{Kind: f.Kind, Path: f.Path, Before: f.After, After: f.Before}
	switch f.Kind {
	case Create:
		back.Kind, back.Mode = Delete, f.Mode
	case Delete:
		back.Kind, back.Mode = Create, f.Mode
	case Move:
		back.Path, back.From = f.From, f.Path
	case Update:
	}
	return back
}

func byPath(a, b FileChange) int { return strings.Compare(a.Path, b.Path) }

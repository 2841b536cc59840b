package match

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"forge/patch"
)

// Entry is one entry of a structured file list: the new whole text of a file.
type Entry struct {
	Path    string
	Action  patch.Action
	Content string // empty for ActionDelete
}

// Whole converts a file list to a change set, with the rules and errors of Resolve. It keeps the storage format of each file; see Replace.
func Whole(entries []Entry, files patch.Files) (patch.ChangeSet, error) {
	var deletions []patch.FileOp
	for _, e := range entries {
		if e.Action == patch.ActionDelete {
			deletions = append(deletions, patch.FileOp{Kind: patch.Delete, Path: e.Path})
		}
	}
	files = vacate(files, deletions)
	seen := paths{}
	var changes []patch.FileChange
	for _, e := range entries {
		if err := seen.add(patch.FileOp{Path: e.Path}); err != nil {
			return patch.ChangeSet{}, err
		}
		change, err := e.change(files)
		if err != nil {
			return patch.ChangeSet{}, err
		}
		changes = append(changes, change)
	}
	return newChangeSet(changes)
}

func (e Entry) change(files patch.Files) (patch.FileChange, error) {
	switch e.Action {
	case patch.ActionCreate:
		return create(patch.FileOp{Path: e.Path, Content: e.Content}, files)
	case patch.ActionDelete:
		return resolveOp(patch.FileOp{Kind: patch.Delete, Path: e.Path}, files, nil)
	case patch.ActionUpdate, patch.ActionWrite:
	default:
		return patch.FileChange{}, fmt.Errorf("%s: action %q is unknown: it must be create, update, write or delete", e.Path, e.Action)
	}
	if e.Action == patch.ActionUpdate {
		if _, err := existing(patch.FileOp{Path: e.Path}, files); err != nil {
			return patch.FileChange{}, err
		}
	}
	return create(patch.FileOp{Path: e.Path, Content: e.Content, Write: true}, files)
}

// write returns the change that gives a new or existing file a whole text.
func write(op patch.FileOp, files patch.Files) (patch.FileChange, error) {
	before, err := existing(patch.FileOp{Path: op.Path}, files)
	exists := !errors.Is(err, fs.ErrNotExist)
	if err != nil && exists {
		return patch.FileChange{}, err
	}
	if !exists {
		if err := patch.CheckNew(op.Path); err != nil {
			return patch.FileChange{}, err
		}
	}
	return Replace(op.Path, before, exists, op.Content), nil
}

// Replace returns the change that gives a file a new text: a Create if it does not exist, else an Update of before. It keeps the storage
// format of the old text: its byte order mark, its line ends if they are uniform, and whether the last line has one.
func Replace(path, before string, exists bool, after string) patch.FileChange {
	if !exists {
		return patch.FileChange{Kind: patch.Create, Path: path, After: after}
	}
	return patch.FileChange{Kind: patch.Update, Path: path, Before: before, After: stored(before, after)}
}

// stored converts a text to the storage format of another. An empty text has none.
func stored(like, text string) string {
	old, now := newDocument(like), newDocument(text)
	if len(old.lines) == 0 || len(now.lines) == 0 {
		return text
	}
	ends := now.ends
	if uniform(old.ends) && uniform(now.ends) {
		ends = slices.Repeat([]string{old.eol}, len(ends))
	}
	form := &document{bom: old.bom, eol: old.eol, final: old.final}
	return form.text(now.lines, ends)
}

// uniform reports whether all lines have the same end; the last one may have none.
func uniform(ends []string) bool {
	kind := strings.Join(slices.Compact(slices.Clone(ends[:len(ends)-1])), "|")
	last := ends[len(ends)-1]
	return kind == "" || !strings.Contains(kind, "|") && (last == "" || last == kind)
}

// Package match finds the places of the hunks of a patch in the texts of its files, with a match ladder, and returns the new files.
//
//	Patch ── Resolve ──► target for each hunk ── ladder: exact … a part of the context ──► splices ──► ChangeSet
//
// A hunk that Resolve rejects, and for which Locate finds a probable place, is shown to the user; ResolveConfirmed applies it there after
// a confirmation.
//
// A file is a sequence of lines that end with "\n", "\r\n" or a lone "\r". Line ends, byte order mark and the end of the last line are
// kept; invalid UTF-8 and NUL are rejected.
//
// Invariants: it never guesses (two places at one rung of the ladder are an *AmbiguousError, none
// is a *NoMatchError); a patch applies whole or not at all; context bytes are never rewritten.
package match

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"forge/patch"
)

// Resolve finds the place of each hunk of a patch and returns the changes of all files. It is atomic: with an error there is no
// ChangeSet. Errors are *PathError, *MissingError, *ExistsError, *TextError, *NoMatchError, *AmbiguousError, *OverlapError,
// *AlreadyAppliedError or ErrNoChange, or errors of files. Files without a change are not in the result.
//
// Several updates of one path are one update. Hunks are matched against the text before the patch, in
// any order.
//
// A hunk that only resembles some text is rejected; see Locate.
func Resolve(p patch.Patch, files patch.Files) (patch.ChangeSet, error) {
	return resolve(p, files, nil)
}

func resolve(p patch.Patch, files patch.Files, confirmed confirmer) (patch.ChangeSet, error) {
	ops, err := joinOps(p.Ops)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	files = vacate(files, ops)
	var changes []patch.FileChange
	for _, op := range ops {
		change, err := resolveOp(op, files, confirmed)
		if err != nil {
			return patch.ChangeSet{}, err
		}
		changes = append(changes, change)
	}
	return newChangeSet(changes)
}

// newChangeSet orders changes by path and omits those without effect.
func newChangeSet(changes []patch.FileChange) (patch.ChangeSet, error) {
	changes = slices.DeleteFunc(changes, func(c patch.FileChange) bool { return c.Kind == patch.Update && c.Before == c.After })
	if len(changes) == 0 {
		return patch.ChangeSet{}, ErrNoChange
	}
	slices.SortFunc(changes, func(a, b patch.FileChange) int { return cmp.Compare(a.Path, b.Path) })
	return patch.ChangeSet{Files: changes}, nil
}

// joinOps combines several updates of a path, and rejects any other path that is named twice, regardless of case: on some systems both
// are one file.
func joinOps(ops []patch.FileOp) ([]patch.FileOp, error) {
	var out []patch.FileOp
	seen := paths{}
	for _, op := range ops {
		same := slices.IndexFunc(out, func(o patch.FileOp) bool {
			return o.Path == op.Path && o.Kind == patch.Update && op.Kind == patch.Update
		})
		if same >= 0 {
			out[same].Hunks = slices.Concat(out[same].Hunks, op.Hunks)
			continue
		}
		if err := seen.add(op); err != nil {
			return nil, err
		}
		out = append(out, op)
	}
	return out, nil
}

// paths are the names of an edit, in lower case.
type paths map[string]bool

func (seen paths) add(op patch.FileOp) error {
	names := []string{op.Path}
	if op.Kind == patch.Move {
		names = append(names, op.To)
	}
	for i, name := range names {
		if err := patch.CheckPath(name); err != nil {
			return err
		}
		onlyCase := i == 1 && strings.EqualFold(op.Path, op.To) && op.Path != op.To
		key := strings.ToLower(name)
		if seen[key] && !onlyCase {
			return &patch.PathError{Path: name, Cause: "the edit names it twice; name it once"}
		}
		seen[key] = true
	}
	return nil
}

func resolveOp(op patch.FileOp, files patch.Files, confirmed confirmer) (patch.FileChange, error) {
	if op.Kind == patch.Create {
		return create(op, files)
	}
	before, err := existing(op, files)
	if err != nil {
		return patch.FileChange{}, err
	}
	change := patch.FileChange{Kind: op.Kind, Path: op.Path, Before: before}
	if op.Kind == patch.Delete {
		return change, deletes(op, before)
	}
	if op.Kind == patch.Move {
		if err := absent(op.To, patch.Move, files); err != nil {
			return patch.FileChange{}, err
		}
		change.Path, change.From = op.To, op.Path
	}
	change.After, change.Matches, err = applyHunks(op.Path, before, op.Hunks, confirmed)
	return change, err
}

func create(op patch.FileOp, files patch.Files) (patch.FileChange, error) {
	if err := checkText(op.Path, op.Content); err != nil {
		return patch.FileChange{}, err
	}
	if op.Write {
		return write(op, files)
	}
	if op.Fill {
		if data, err := files.ReadFile(op.Path); err == nil && strings.TrimPrefix(string(data), patch.ByteOrderMark) == "" {
			return patch.FileChange{Kind: patch.Update, Path: op.Path, Before: string(data), After: string(data) + op.Content}, nil
		}
	}
	if err := absent(op.Path, patch.Create, files); err != nil {
		return patch.FileChange{}, err
	}
	return patch.FileChange{Kind: patch.Create, Path: op.Path, After: op.Content}, nil
}

// deletes checks that the hunks of a deletion, if there are any, remove the whole file. They must match: a deletion is never confirmed for a
// text that the patch did not know.
func deletes(op patch.FileOp, before string) error {
	if len(op.Hunks) == 0 {
		return nil
	}
	after, _, err := applyHunks(op.Path, before, op.Hunks, nil)
	if err == nil && strings.TrimPrefix(after, patch.ByteOrderMark) != "" {
		return &NoMatchError{Path: op.Path, Hunk: len(op.Hunks), Cause: CauseRest}
	}
	return err
}

// existing reads the file that an operation changes.
func existing(op patch.FileOp, files patch.Files) (string, error) {
	data, err := files.ReadFile(op.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &MissingError{Path: op.Path, Kind: op.Kind}
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", op.Kind, op.Path, err)
	}
	return string(data), checkText(op.Path, string(data))
}

// vacated are files of which an edit deletes some: what is below such a file, and a folder that such a file is in, is missing afterwards, or
// the edit cannot be written.
type vacated struct {
	patch.Files
	gone, around map[string]bool // the deleted files, and the folders that these are in
}

func vacate(files patch.Files, ops []patch.FileOp) patch.Files {
	v := vacated{files, map[string]bool{}, map[string]bool{}}
	for _, op := range ops {
		if op.Kind != patch.Delete {
			continue
		}
		v.gone[op.Path] = true
		for dir := path.Dir(op.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
			v.around[dir] = true
		}
	}
	return v
}

func (v vacated) ReadFile(name string) ([]byte, error) {
	data, err := v.Files.ReadFile(name)
	if err == nil {
		return data, nil
	}
	missing := v.around[name]
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		missing = missing || v.gone[dir]
	}
	if missing {
		err = fs.ErrNotExist
	}
	return data, err
}

// absent rejects a path that exists, or that is not valid on every system.
func absent(path string, kind patch.Kind, files patch.Files) error {
	if err := patch.CheckNew(path); err != nil {
		return err
	}
	switch _, err := files.ReadFile(path); {
	case err == nil:
		return &ExistsError{Path: path, Kind: kind}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return fmt.Errorf("%s %s: %w", kind, path, err)
	}
}

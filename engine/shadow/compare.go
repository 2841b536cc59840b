package shadow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/patch"
)

// Diff compares two commits (snapshots, or what Commit gave) and gives every changed file as whole texts, ordered
// by path. A move is a Delete and a Create. As in Changes, what a proposal cannot show is left out: binary files on
// either side, symbolic links, permissions.
func (r *Repo) Diff(ctx context.Context, before, after string) (patch.ChangeSet, error) {
	set, err := r.diff(ctx, before, after)
	if err != nil {
		return patch.ChangeSet{}, fmt.Errorf("compare two states of %s: %w", r.root, err)
	}
	return set, nil
}

func (r *Repo) diff(ctx context.Context, before, after string) (patch.ChangeSet, error) {
	for _, id := range []string{before, after} {
		if err := checkCommit(id); err != nil {
			return patch.ChangeSet{}, err
		}
	}
	changed, err := r.differences(ctx, before, after)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	var ids []string
	for _, d := range changed {
		for _, l := range []leaf{d.before, d.after} {
			if l.plain() {
				ids = append(ids, l.id)
			}
		}
	}
	slices.Sort(ids)
	texts, err := r.objects(ctx, slices.Compact(ids))
	if err != nil {
		return patch.ChangeSet{}, err
	}
	var set patch.ChangeSet
	for _, d := range changed {
		if change, ok := d.change(texts); ok {
			set.Files = append(set.Files, change)
		}
	}
	slices.SortFunc(set.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return set, nil
}

// plain reports whether a leaf is a regular file.
func (l leaf) plain() bool { return l.mode == plainMode || l.mode == programMode }

// change gives a difference as a proposal shows it, if it can.
func (d difference) change(texts map[string][]byte) (patch.FileChange, bool) {
	existed, exists := d.before != leaf{}, d.after != leaf{}
	if existed && !d.before.plain() || exists && !d.after.plain() || d.before.id == d.after.id {
		return patch.FileChange{}, false
	}
	before, after := texts[d.before.id], texts[d.after.id]
	if !isText(before) || !isText(after) {
		return patch.FileChange{}, false
	}
	change := patch.FileChange{Kind: patch.Update, Path: d.path, Before: string(before), After: string(after)}
	switch {
	case !existed:
		change.Kind = patch.Create
	case !exists:
		change.Kind = patch.Delete
	}
	return change, true
}

// MergeConflict is a file that two sides changed in ways that do not go together.
type MergeConflict struct {
	Path string
	// Places are where both changed the same lines. None: one side deleted what the other changed.
	Places []patch.Conflict
	// Ours and Theirs are the changes as each side has them.
	Ours, Theirs patch.FileChange
}

// Merge brings the changes of two commits since a common base together, file by file and line by line, and gives
// what they change of the base. Where they conflict the set holds what ours has, and a MergeConflict what there is to
// decide. Nothing is written.
func (r *Repo) Merge(ctx context.Context, base, ours, theirs string) (patch.ChangeSet, []MergeConflict, error) {
	mine, err := r.Diff(ctx, base, ours)
	if err != nil {
		return patch.ChangeSet{}, nil, err
	}
	other, err := r.Diff(ctx, base, theirs)
	if err != nil {
		return patch.ChangeSet{}, nil, err
	}
	set, conflicts := MergeChanges(mine, other)
	return set, conflicts, nil
}

// MergeChanges is Merge for two sets of changes of the same base. Moves count as a Delete and a Create.
func MergeChanges(ours, theirs patch.ChangeSet) (patch.ChangeSet, []MergeConflict) {
	merged := map[string]patch.FileChange{}
	for _, c := range withoutMoves(ours) {
		merged[c.Path] = c
	}
	var conflicts []MergeConflict
	for _, c := range withoutMoves(theirs) {
		mine, both := merged[c.Path]
		if !both {
			merged[c.Path] = c
			continue
		}
		change, places, ok := mergeFile(mine, c)
		merged[c.Path] = change
		if !ok {
			conflicts = append(conflicts, MergeConflict{Path: c.Path, Places: places, Ours: mine, Theirs: c})
		}
	}
	var set patch.ChangeSet
	for _, c := range merged {
		set.Files = append(set.Files, c)
	}
	slices.SortFunc(set.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(conflicts, func(a, b MergeConflict) int { return strings.Compare(a.Path, b.Path) })
	return set, conflicts
}

// mergeFile merges two changes of one file; not ok is a conflict, and what is given then is ours.
func mergeFile(ours, theirs patch.FileChange) (merged patch.FileChange, places []patch.Conflict, ok bool) {
	if ours.Kind == theirs.Kind && ours.After == theirs.After {
		return ours, nil, true
	}
	if ours.Kind == patch.Delete || theirs.Kind == patch.Delete {
		return ours, nil, false
	}
	text, places := patch.Merge(ours.Before, ours.After, theirs.After)
	merged = ours
	merged.After, merged.Matches = text, nil
	return merged, places, len(places) == 0
}

// withoutMoves writes each Move as what it does to two paths.
func withoutMoves(set patch.ChangeSet) []patch.FileChange {
	var changes []patch.FileChange
	for _, c := range set.Files {
		if c.Kind != patch.Move {
			changes = append(changes, c)
			continue
		}
		changes = append(changes,
			patch.FileChange{Kind: patch.Delete, Path: c.From, Before: c.Before},
			patch.FileChange{Kind: patch.Create, Path: c.Path, After: c.After})
	}
	return changes
}

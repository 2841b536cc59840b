package execution

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"forge/engine/event"
	"forge/engine/shadow"
	"forge/engine/workspace"
	"forge/internal/failpoint"
)

// Base is what a run works on.
type Base string

// The bases.
const (
	Working Base = "working" // the folder as it is, with unsaved buffers
	Head    Base = "head"    // the commit that is checked out
)

// BaseNamed returns the base of a name; an empty name is an empty base. The error lists the names.
func BaseNamed(name string) (Base, error) {
	switch b := Base(name); b {
	case "", Working, Head:
		return b, nil
	}
	return "", fmt.Errorf("%q is no base of a run: want %s or %s", name, Working, Head)
}

// takeSnapshot takes the snapshot of a run, and finds out what it has beyond the last commit.
func takeSnapshot(ctx context.Context, repo *shadow.Repo, s snapshotWanted) (snapshotTaken, error) {
	taken, err := repo.Snapshots.Take(ctx, s.Snapshot)
	failpoint.Hit(FailpointSnapshot)
	if err != nil || s.From == "" {
		return takenOf(taken), err
	}
	dirty, known, err := repo.History.Dirty(ctx, taken.Commit)
	switch {
	case err != nil && s.From == Working: // the run needs no commit
	case err != nil:
		return snapshotTaken{}, err
	case !known && s.From == Head:
		return snapshotTaken{}, fmt.Errorf("a run on the last commit is not possible: %s has no commit that Forge can read", s.Root)
	}
	if s.From == Head {
		if taken, err = repo.Snapshots.Without(ctx, taken, dirty); err != nil {
			return snapshotTaken{}, err
		}
	}
	kept := takenOf(taken)
	kept.Unsaved = unsaved(s.Snapshot)
	for _, f := range dirty {
		if !slices.Contains(kept.Unsaved, f.Path) {
			kept.Uncommitted = append(kept.Uncommitted, f.Path)
		}
	}
	return kept, ctx.Err()
}

func takenOf(s shadow.Snapshot) snapshotTaken {
	kept := snapshotTaken{Base: s.Commit}
	for _, file := range s.Skipped {
		kept.Skipped = append(kept.Skipped, event.Skipped(file))
	}
	return kept
}

// unsaved lists the buffers whose texts are not those on disk.
func unsaved(s workspace.Snapshot) (paths []string) {
	disk := workspace.Snapshot{Root: s.Root}
	for _, path := range slices.Sorted(maps.Keys(s.Unsaved)) {
		if text, err := disk.ReadFile(path); err != nil || string(text) != s.Unsaved[path].Text {
			paths = append(paths, path)
		}
	}
	return paths
}

// maxListed is how many uncommitted files the event lists.
const maxListed = 1000

// included is the event of what a snapshot has beyond the last commit; has reports whether there is anything.
func (s snapshotTaken) included(from Base) (e event.WorkIncluded, has bool) {
	listed := s.Uncommitted[:min(len(s.Uncommitted), maxListed)]
	e = event.WorkIncluded{Base: s.Base, From: string(from), Uncommitted: listed, More: len(s.Uncommitted) - len(listed), Unsaved: s.Unsaved}
	return e, len(s.Uncommitted)+len(s.Unsaved) > 0
}

// dirty lists the files of a snapshot that the user has not committed or not saved.
func (s snapshotTaken) dirty(from Base) []string {
	if from == Head {
		return nil
	}
	return append(slices.Clone(s.Uncommitted), s.Unsaved...)
}

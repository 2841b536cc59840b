package shadow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/workspace"
	"forge/internal/failpoint"
)

// Snapshot keeps the workspace as the person sees it: the files on disk, and the unsaved buffers of s
// over them. Ignored files, nested repositories, devices and files above MaxFileSize stay out; symbolic
// links stay links and are not followed; every byte is kept as it is.
//
// The first one reads every file, later ones those whose stat changed.
func (r *Repo) Snapshot(ctx context.Context, s workspace.Snapshot) (Snapshot, error) {
	snapshot, err := r.snapshot(ctx, s)
	if err != nil {
		return Snapshot{}, fmt.Errorf("take a snapshot of %s: %w", r.root, err)
	}
	return snapshot, nil
}

func (r *Repo) snapshot(ctx context.Context, s workspace.Snapshot) (Snapshot, error) {
	if root, err := realPath(s.Root); err != nil || root != r.root {
		return Snapshot{}, errors.Join(workspace.CheckRoot(s.Root), fmt.Errorf("%s is another folder", s.Root))
	}
	if err := workspace.CheckRoot(r.root); err != nil {
		return Snapshot{}, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer unlock()
	known := r.load()
	take, skipped, err := r.survey(ctx, known.files)
	if err != nil {
		return Snapshot{}, err
	}
	texts, ignored, err := r.placed(ctx, s, take.all)
	if err != nil {
		return Snapshot{}, err
	}
	failpoint.Hit(failSnapshotIndex)
	commit, unread, err := r.keep(ctx, known, take, texts)
	if failed := new(gitError); errors.As(err, &failed) && known.commit != "" {
		// What the list of files refers to is damaged: do without.
		take.makeNew()
		commit, unread, err = r.keep(ctx, manifest{}, take, texts)
	}
	if err != nil {
		return Snapshot{}, err
	}
	skipped = slices.Concat(skipped, unread, ignored)
	slices.SortFunc(skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	return Snapshot{Commit: commit, Skipped: skipped}, r.name(ctx, commit)
}

// taking is what a snapshot takes from the disk.
type taking struct {
	all   map[string]held // those that are as they were with their stamps, and the others
	fresh []string        // those others: they have to be read; sorted
	gone  []string        // what was taken last time and is not now
}

// makeNew has everything read.
func (t *taking) makeNew() {
	for _, name := range t.fresh {
		t.all[name] = held{} // also what could not be read
	}
	t.fresh, t.gone = slices.Sorted(maps.Keys(t.all)), nil
}

// survey lists what belongs to the workspace now, and what of that is known.
func (r *Repo) survey(ctx context.Context, known map[string]held) (taking, []Skipped, error) {
	looked := make(chan map[string]bool, 1)
	go func() { looked <- r.changed(known) }() // while git lists
	names, closed, err := r.candidates(ctx)
	changed := <-looked
	if err != nil {
		return taking{}, nil, err
	}
	take := taking{all: make(map[string]held, len(names))}
	still := 0
	for _, name := range names {
		h, was := known[name]
		if was {
			still++
		}
		if !was || changed[name] {
			h = held{}
			take.fresh = append(take.fresh, name)
		}
		take.all[name] = h
	}
	if still < len(known) {
		for name := range known {
			if _, ok := take.all[name]; !ok {
				take.gone = append(take.gone, name)
			}
		}
	}
	return take, closed, nil
}

// name gives a snapshot the ref that keeps it, from now on for as long as GC spares what is new.
func (r *Repo) name(ctx context.Context, commit string) error {
	file := filepath.Join(r.git, filepath.FromSlash(snapshots+commit))
	if id, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(id)) == commit { //nolint:gosec // our own file
		now := time.Now()
		return os.Chtimes(file, now, now)
	}
	return r.writeRef(ctx, snapshots+commit, commit)
}

// clearRefLock removes what a process killed while it made ref left behind. The caller has the lock.
func (r *Repo) clearRefLock(ref string) {
	_ = os.Remove(filepath.Join(r.git, filepath.FromSlash(ref)+".lock")) // usually not there
}

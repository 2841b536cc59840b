package index

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
)

// isDue reports whether what has changed since the last view is worth a new one: each costs time for every file.
// left tells how many outlines are being parsed.
func (k *keeper) isDue(left int) bool {
	switch {
	case k.came:
		return true
	case len(k.pending) > 0:
		return len(k.dirty) >= len(k.files)/4+256
	case k.urgent, k.reasons, k.partial:
		return true
	}
	return len(k.fresh) > 0 && (left == 0 || len(k.fresh) >= len(k.disk)/16+32)
}

// publish makes a view of all that is known now.
func (k *keeper) publish() {
	k.came = false
	k.placeNames()
	k.files = k.mergeFiles()
	view := newSnapshot(k.folder, k.files)
	outlined, can := 0, 0
	for i := range view.documents {
		d := &view.documents[i]
		if d.Outline != nil {
			outlined++
		}
		if k.options.Outliner != nil && d.Language != "" {
			can++
		}
	}
	view.complete = len(k.pending) == 0 && outlined == can
	k.current.Store(view)
	k.tell(view, outlined, can)
	clear(k.dirty)
	k.urgent, k.reasons, k.partial = false, false, len(k.pending) > 0
}

// tell updates the status, and reports progress.
func (k *keeper) tell(view *snapshot, outlined, can int) {
	skipped, again := []Skipped(nil), k.reasons
	if again {
		skipped = k.skipped()
	}
	k.move(func(s *state) {
		s.Indexed, s.Total, s.Outlined, s.Complete = len(view.files), len(k.listed), outlined, view.complete
		if again {
			s.Skipped = skipped
		}
	})
	if k.options.Progress != nil {
		k.options.Progress(len(k.listed)-len(k.pending)+outlined, len(k.listed)+can)
	}
}

func (k *keeper) skipped() []Skipped {
	var skipped []Skipped
	for path, r := range k.known {
		if _, ok := k.covers[path]; !ok && r.reason != "" {
			skipped = append(skipped, Skipped{path, r.reason})
		}
	}
	for path, c := range k.covers {
		if c.reason != "" {
			skipped = append(skipped, Skipped{path, c.reason})
		}
	}
	slices.SortFunc(skipped, func(a, b Skipped) int { return cmp.Compare(a.Path, b.Path) })
	return skipped
}

// mergeFiles returns the files of the last view with what has changed since.
func (k *keeper) mergeFiles() []*file {
	dirty := slices.Sorted(maps.Keys(k.dirty))
	merged := make([]*file, 0, len(k.files)+len(dirty))
	old := k.files
	for _, path := range dirty {
		n, found := slices.BinarySearchFunc(old, path, func(f *file, path string) int { return strings.Compare(f.Path, path) })
		merged, old = append(merged, old[:n]...), old[n:]
		if found {
			old = old[1:]
		}
		if f := k.shown(path); f != nil {
			merged = append(merged, f)
		}
	}
	return append(merged, old...)
}

// want notes that a file may need an outline.
func (k *keeper) want(f *file) {
	if k.options.Outliner != nil && f.Language != "" && f.Outline == nil {
		k.wanting[f] = true
	}
}

// askOutlines gets the outlines that are wanted from disk, the first time, and has the others parsed.
func (k *keeper) askOutlines(ctx context.Context) {
	var wanting []*file
	for f := range k.wanting {
		if k.isCurrent(f) {
			wanting = append(wanting, f)
		}
	}
	clear(k.wanting)
	slices.SortFunc(wanting, func(a, b *file) int { return cmp.Compare(a.Path, b.Path) })
	if !k.restored {
		k.restored = true
		wanting = k.restoreOutlines(ctx, wanting)
	}
	slices.Reverse(wanting) // the last job is done first
	jobs := make([]*job, len(wanting))
	for i, f := range wanting {
		jobs[i] = &job{file: f}
		k.jobs[f] = jobs[i]
	}
	k.outlining.add(jobs...)
}

func (k *keeper) isCurrent(f *file) bool { return k.disk[f.Path] == f || k.covers[f.Path].file == f }

// restoreOutlines sets the outlines that are kept on disk, and returns the files that have none there.
func (k *keeper) restoreOutlines(ctx context.Context, files []*file) (without []*file) {
	kept := k.store.loadOutlines(ctx, files)
	for i, f := range files {
		if kept[i] == nil {
			without = append(without, f)
			continue
		}
		with := *f
		with.Outline = kept[i]
		k.setOutline(f, &with)
	}
	return without
}

func (k *keeper) addOutlines(results []outlined) {
	for _, r := range results {
		f := r.job.file
		if r.job.stale.Load() {
			continue
		}
		delete(k.jobs, f)
		if r.outline == nil {
			k.pending[f.Path] = true // it is not what was indexed any more
			continue
		}
		with := *f
		with.Outline = r.outline
		k.setOutline(f, &with)
		k.store.setOutline(f.Hash, f.Language, r.encoded)
	}
}

// setOutline puts a file with its outline in the place of the same one without.
func (k *keeper) setOutline(f, with *file) {
	k.replace(f, with)
	if f.cover != nil {
		k.covers[f.Path] = cover{file: with}
	} else {
		k.disk[f.Path] = with
	}
	k.fresh = append(k.fresh, f.Path)
}

// placeNames makes a segment of the names in the outlines that have come. No view knows these files yet.
func (k *keeper) placeNames() {
	slices.Sort(k.fresh)
	var files []*file
	for _, path := range slices.Compact(k.fresh) {
		for _, f := range []*file{k.disk[path], k.covers[path].file} {
			if f != nil && f.Outline != nil && f.names.in == nil {
				files = append(files, f)
			}
		}
	}
	k.fresh = nil
	inParts(len(files), k.options.Workers, func(_, from, to int) { addNames(files[from:to]) })
	for _, f := range files {
		k.hold(f.names)
	}
}

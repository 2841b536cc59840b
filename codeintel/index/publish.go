package index

import (
	"cmp"
	"context"
	"slices"
)

// isDue reports whether the changes since the last view are worth a new one: each costs time for every file.
// left is how many outlines are being parsed.
func (k *keeper) isDue(left int) bool {
	switch {
	case k.unread.came:
		return true
	case len(k.unread.pending) > 0:
		return len(k.catalog.dirty) >= len(k.files)/4+256
	case k.catalog.urgent, k.catalog.reasons, k.partial:
		return true
	}
	return len(k.fresh) > 0 && (left == 0 || len(k.fresh) >= len(k.catalog.disk)/16+32)
}

// publish makes a view of all that is known now.
func (k *keeper) publish() {
	k.unread.came = false
	k.placeNames()
	k.files = k.catalog.merged(k.files)
	view := newSnapshot(k.index.folder, k.files)
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
	view.complete = len(k.unread.pending) == 0 && outlined == can
	k.index.current.Store(view)
	k.tell(view, outlined, can)
	clear(k.catalog.dirty)
	k.catalog.urgent, k.catalog.reasons, k.partial = false, false, len(k.unread.pending) > 0
}

// tell updates the status, and reports progress.
func (k *keeper) tell(view *snapshot, outlined, can int) {
	skipped, again := []Skipped(nil), k.catalog.reasons
	if again {
		skipped = k.catalog.skipped()
	}
	k.index.move(func(s *state) {
		s.Indexed, s.Total, s.Outlined, s.Complete = len(view.files), len(k.listed), outlined, view.complete
		if again {
			s.Skipped = skipped
		}
	})
	if k.options.Progress != nil {
		k.options.Progress(len(k.listed)-len(k.unread.pending)+outlined, len(k.listed)+can)
	}
}

// askOutlines gets the outlines that are wanted from disk, the first time, and has the others parsed.
func (k *keeper) askOutlines(ctx context.Context) {
	var wanting []*file
	for f := range k.catalog.wanting {
		if k.catalog.isCurrent(f) {
			wanting = append(wanting, f)
		}
	}
	clear(k.catalog.wanting)
	slices.SortFunc(wanting, func(a, b *file) int { return cmp.Compare(a.Path, b.Path) })
	if !k.restored {
		k.restored = true
		wanting = k.restoreOutlines(ctx, wanting)
	}
	slices.Reverse(wanting) // the last job is done first
	jobs := make([]*job, len(wanting))
	for i, f := range wanting {
		jobs[i] = &job{file: f}
		k.catalog.jobs[f] = jobs[i]
	}
	k.outlining.add(jobs...)
}

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
		delete(k.catalog.jobs, f)
		if r.outline == nil {
			k.unread.pending[f.Path] = true // it is not what was indexed any more
			continue
		}
		with := *f
		with.Outline = r.outline
		k.setOutline(f, &with)
		k.store.setOutline(f.Hash, f.Language, r.encoded)
	}
}

func (k *keeper) setOutline(f, with *file) {
	k.catalog.setOutline(f, with)
	k.fresh = append(k.fresh, f.Path)
}

// placeNames makes a segment of the names in the outlines that have come. No view knows these files yet.
func (k *keeper) placeNames() {
	slices.Sort(k.fresh)
	var files []*file
	for _, path := range slices.Compact(k.fresh) {
		for _, f := range []*file{k.catalog.disk[path], k.catalog.covers[path].file} {
			if f != nil && f.Outline != nil && f.names.in == nil {
				files = append(files, f)
			}
		}
	}
	k.fresh = nil
	inParts(len(files), k.options.Workers, func(_, from, to int) { addNames(files[from:to]) })
	for _, f := range files {
		k.catalog.hold(f.names)
	}
}

// addNames makes a segment of what files define, as far as they do.
func addNames(files []*file) {
	v := newInverter(PartSymbols)
	var with []*file
	for _, f := range files {
		if f.Outline != nil && len(f.Outline.Symbols) > 0 {
			v.addNames(f.Path, f.Hash, appendNames(nil, f.Outline.Symbols))
			with = append(with, f)
		}
	}
	names := v.finish()
	for i, f := range with {
		f.names = place{names, uint32(i)}
	}
}

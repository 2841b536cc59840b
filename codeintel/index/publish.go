package index

import "slices"

// isDue reports whether the changes since the last view justify a new one: a view costs time for each file.
// left is whether there are outlines left to find.
func (k *keeper) isDue(left bool) bool {
	switch {
	case k.unread.readAwaited:
		return true
	case len(k.unread.pending) > 0:
		return len(k.catalog.dirty) >= len(k.files)/4+256
	case k.catalog.urgent, k.catalog.reasons, k.partial:
		return true
	}
	return len(k.fresh) > 0 && (!left || len(k.fresh) >= len(k.catalog.disk)/16+32)
}

// publish makes a view of all that is known now.
func (k *keeper) publish() {
	k.unread.readAwaited = false
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
	k.report(view, outlined, can)
	clear(k.catalog.dirty)
	k.catalog.urgent, k.catalog.reasons, k.partial = false, false, len(k.unread.pending) > 0
}

// report updates the status, and reports progress.
func (k *keeper) report(view *snapshot, outlined, can int) {
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
	addNames(files)
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

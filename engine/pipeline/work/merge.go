package work

import (
	"slices"

	"forge/engine/event"
	"forge/patch"
)

// Merges records which files several parts changed, while their changes are combined in order.
type Merges struct{ files []event.MergedFile }

// Note records that the changes of a part were combined with those of earlier parts, and which of them clash.
func (ms *Merges) Note(part string, earlier, theirs patch.ChangeSet, clashes []patch.Clash) {
	for _, f := range theirs.Files {
		at := slices.IndexFunc(ms.files, func(known event.MergedFile) bool { return known.Path == f.Path })
		if at < 0 {
			ms.files = append(ms.files, event.MergedFile{Path: f.Path, Parts: []string{part}, How: event.MergedSame})
			continue
		}
		known := &ms.files[at]
		known.Parts = append(known.Parts, part)
		switch {
		case slices.ContainsFunc(clashes, func(c patch.Clash) bool { return c.Path == f.Path }):
			known.How = event.MergedModel
		case known.How == event.MergedSame && !slices.ContainsFunc(earlier.Files, func(o patch.FileChange) bool { return o.Path == f.Path && o.Kind == f.Kind && o.After == f.After }):
			known.How = event.MergedText
		}
	}
}

// Files returns the files that more than one part changed.
func (ms *Merges) Files() []event.MergedFile {
	return slices.DeleteFunc(slices.Clone(ms.files), func(f event.MergedFile) bool { return len(f.Parts) < 2 })
}

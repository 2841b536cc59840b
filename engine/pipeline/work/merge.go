package work

import (
	"slices"

	"forge/engine/event"
	"forge/patch"
)

// meeting is a file that a module changed, and that others, of which it does not know, changed before it in the order of the run.
type meeting struct {
	module  *Module
	sides   []*Module
	file    patch.FileChange
	earlier patch.ChangeSet // what the others have made
	clashes bool            // the changes exclude each other
}

// Merged returns the files that several modules changed without knowing of each other, and which this module is the first to combine.
func (j *Job) Merged() []event.MergedFile {
	var merged mergedFiles
	combine(j.Before(), func(m *Module) patch.ChangeSet { return m.Now.Changes }, func(at meeting) {
		at.sides = slices.DeleteFunc(at.sides, func(side *Module) bool { return j.joinedBefore(side, at.module) })
		if len(at.sides) > 0 {
			merged.add(at)
		}
	})
	return merged
}

// joinedBefore reports whether a module that this one builds on has combined two others.
func (j *Job) joinedBefore(a, b *Module) bool {
	return slices.ContainsFunc(j.Before(), func(m *Module) bool {
		known := m.Job.ancestors()
		return m.Job.Joins && known[a.Job] && known[b.Job]
	})
}

type mergedFiles []event.MergedFile

func (files *mergedFiles) add(at meeting) {
	i := slices.IndexFunc(*files, func(known event.MergedFile) bool { return known.Path == at.file.Path })
	if i < 0 {
		i = len(*files)
		*files = append(*files, event.MergedFile{Path: at.file.Path, How: event.MergedSame})
	}
	f := &(*files)[i]
	for _, m := range append(at.sides, at.module) {
		if !slices.Contains(f.Parts, m.Job.ID) {
			f.Parts = append(f.Parts, m.Job.ID)
		}
	}
	switch {
	case at.clashes:
		f.How = event.MergedModel
	case f.How == event.MergedSame && !at.same():
		f.How = event.MergedText
	}
}

// same reports whether all sides made the same change.
func (at meeting) same() bool {
	return slices.ContainsFunc(at.earlier.Files, func(f patch.FileChange) bool {
		return f.Path == at.file.Path && f.Kind == at.file.Kind && f.After == at.file.After
	})
}

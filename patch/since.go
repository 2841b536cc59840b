package patch

import (
	"maps"
	"reflect"
	"slices"
)

// Since returns the changes of s without those of earlier: applied to the result of earlier, it gives the result of s. Both are based on
// the same texts. A move in only one of them becomes a deletion and a creation.
func (s ChangeSet) Since(earlier ChangeSet) ChangeSet {
	then, now := earlier.fates(), s.fates()
	var since ChangeSet
	for _, path := range eitherOf(then, now) {
		was, is := then[path], now[path]
		switch {
		case was == nil:
			was = &fate{before: is.before, after: is.before}
		case is == nil:
			is = &fate{before: was.before, after: was.before}
		}
		if f, differs := changeOf(path, was.after, is.after); differs {
			f.Matches = is.matches
			since.Files = append(since.Files, f)
		}
	}
	return since
}

// Then returns s and a later change as one: later is based on the result of s, and the result on the texts of s.
func (s ChangeSet) Then(later ChangeSet) ChangeSet {
	if len(s.Files) == 0 {
		return later
	}
	first, second := s.fates(), later.fates()
	var both ChangeSet
	for _, path := range eitherOf(first, second) {
		was, is := first[path], second[path]
		switch {
		case was == nil:
			was = &fate{before: is.before}
		case is == nil:
			is = was
		}
		if f, differs := changeOf(path, was.before, is.after); differs {
			f.Matches = is.matches
			both.Files = append(both.Files, f)
		}
	}
	return both
}

// fate is the result of a change set for a path; nil is no file.
type fate struct {
	before, after *string
	matches       []Match
}

// fates returns the results for all paths of a change set.
func (s ChangeSet) fates() map[string]*fate {
	all := map[string]*fate{}
	for _, f := range s.Files {
		end := fateOf(all, f.Path)
		end.after, end.matches = &f.After, f.Matches
		switch f.Kind {
		case Update:
			end.before = &f.Before
		case Delete:
			end.before, end.after = &f.Before, nil
		case Move: // another file may take its place
			fateOf(all, f.From).before = &f.Before
		case Create:
		}
	}
	return all
}

func fateOf(all map[string]*fate, path string) *fate {
	if all[path] == nil {
		all[path] = &fate{}
	}
	return all[path]
}

// eitherOf returns the paths of both, sorted, without duplicates.
func eitherOf(a, b map[string]*fate) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

// changeOf returns the change of a path from one text to another, and whether they differ.
func changeOf(path string, from, to *string) (f FileChange, differs bool) {
	switch {
	case from == nil && to == nil:
		return f, false
	case from == nil:
		return FileChange{Kind: Create, Path: path, After: *to}, true
	case to == nil:
		return FileChange{Kind: Delete, Path: path, Before: *from}, true
	}
	return FileChange{Kind: Update, Path: path, Before: *from, After: *to}, *from != *to
}

// Clash is a file that two sides of Combine have changed in incompatible ways.
type Clash struct {
	Path   string     // in our side
	Theirs FileChange // the change of the other side
}

// Combine combines two change sets of the same texts. A file that only one side changes is taken from it; equal changes are taken once;
// two updates of a file are merged line by line. On a conflict it keeps our side, for merged files our conflicting lines, and returns a
// Clash.
func Combine(ours, theirs ChangeSet) (both ChangeSet, clashes []Clash) {
	both.Files = slices.Clone(ours.Files)
	for _, f := range theirs.Files {
		at := slices.IndexFunc(both.Files, func(o FileChange) bool { return o.shares(f) })
		if at < 0 {
			both.Files = append(both.Files, f)
			continue
		}
		merged, goes := combine(both.Files[at], f)
		both.Files[at] = merged
		if !goes {
			clashes = append(clashes, Clash{Path: merged.Path, Theirs: f})
		}
	}
	slices.SortFunc(both.Files, byPath)
	return both, clashes
}

// shares reports whether two changes have a path in common.
func (f FileChange) shares(other FileChange) bool {
	for _, path := range []string{f.Path, f.From} {
		if path != "" && (path == other.Path || path == other.From) {
			return true
		}
	}
	return false
}

func combine(ours, theirs FileChange) (merged FileChange, goes bool) {
	matches := append(slices.Clone(ours.Matches), theirs.Matches...)
	a, b := ours, theirs
	a.Matches, b.Matches = nil, nil
	switch {
	case reflect.DeepEqual(a, b):
		return ours, true
	case ours.Kind != Update || theirs.Kind != Update:
		return ours, false
	}
	text, conflicts := Merge(ours.Before, ours.After, theirs.After)
	ours.After, ours.Matches = text, matches
	return ours, len(conflicts) == 0
}

package integrity

import (
	"cmp"
	"slices"
	"strings"

	"forge/patch"
)

// InPlace returns the test in the place of a removed one: between the same tests that stay and, if several are removed there, in
// the same order. Its text may be another one, as the text of a test that keeps its name may be. before and now are the tests that passed
// before the change and that pass with it. Empty if there is none.
func (r Rewritten) InPlace(test string, before, now []string) string {
	unit := r.unit(test)
	for _, f := range r.files {
		if !touches(f, test, unit) {
			continue
		}
		gone, fresh := r.gap(f, unit, before, now)
		gone, fresh = r.strangers(gone, fresh)
		at := slices.IndexFunc(gone, func(p place) bool { return p.unit == unit })
		if at >= 0 && at < len(fresh) {
			return fresh[at].test
		}
	}
	return ""
}

// place is where a unit of tests is in a text; see unit.
type place struct {
	unit, test string // the test is the first one of the unit
	line       int
}

// gap returns the removed tests that were between the same tests as a removed unit, and the new ones that are there.
func (r Rewritten) gap(f patch.FileChange, unit string, before, now []string) (gone, fresh []place) {
	old, written := r.places(f.Before, f.Path, before), r.places(f.After, f.Path, now)
	stays := func(p place) bool { return has(old, p.unit) && has(written, p.unit) }
	for _, g := range gaps(old, stays) {
		if has(g.places, unit) {
			gone = absentFrom(g.places, f.After)
			for _, other := range gaps(written, stays) {
				if other.after == g.after || other.until == g.until {
					fresh = append(fresh, absentFrom(other.places, f.Before)...)
				}
			}
		}
	}
	return gone, fresh
}

// places returns where the units of tests are in a text, from top to bottom.
func (r Rewritten) places(text, file string, tests []string) (all []place) {
	for _, test := range tests {
		if !mayBeIn(test, file) {
			continue
		}
		p := place{unit: r.unit(test), test: test}
		if p.line = line(text, p.unit); p.line >= 0 {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.unit, b.unit)) })
	return slices.CompactFunc(all, func(a, b place) bool { return a.unit == b.unit })
}

func has(all []place, unit string) bool {
	return slices.ContainsFunc(all, func(p place) bool { return p.unit == unit })
}

// absentFrom returns the places whose unit another text does not have.
func absentFrom(all []place, text string) []place {
	return slices.DeleteFunc(slices.Clone(all), func(p place) bool { return line(text, p.unit) >= 0 })
}

// between is what is between two tests that stay.
type between struct {
	after, until string // the units of the two; empty at the ends of the file
	places       []place
}

func gaps(all []place, stays func(place) bool) []between {
	found := []between{{}}
	for _, p := range all {
		last := &found[len(found)-1]
		if !stays(p) {
			last.places = append(last.places, p)
			continue
		}
		last.until = p.unit
		found = append(found, between{after: p.unit})
	}
	return found
}

// strangers leaves out the removed tests that have mostly the same text as a new one, and those new ones.
func (r Rewritten) strangers(gone, fresh []place) (_, _ []place) {
	var rest []place
	for _, p := range gone {
		names := make([]string, len(fresh))
		for i, f := range fresh {
			names[i] = f.test
		}
		at := slices.Index(names, r.Renamed(p.test, names))
		if at < 0 {
			rest = append(rest, p)
			continue
		}
		fresh = slices.Delete(slices.Clone(fresh), at, at+1)
	}
	return rest, fresh
}

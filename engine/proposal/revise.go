package proposal

import (
	"cmp"
	"slices"
	"strings"

	"forge/patch"
)

// reviser makes hunks of the user's version of a proposed text. A hunk that the user has not touched stays as it is.
type reviser struct {
	*File
	in     []bool // which hunks are in the proposed text
	wanted string // the user's version of it

	gone    map[int]bool      // hunks in whose place are others
	grounds map[string]string // what is now in the place of new hunks that replace accepted lines, by id
}

// revision is a part of the proposed text that the user has changed, with all hunks in it.
type revision struct {
	from, to int // in the proposed text
	growth   int // by how much the user made it longer
	hunks    []int
	owns     bool // one of the hunks is accepted
}

// revise makes hunks of a version of the text in which these hunks are.
func (f *File) revise(in []bool, wanted string) {
	rv := reviser{File: f, in: in, wanted: wanted, gone: map[int]bool{}, grounds: map[string]string{}}
	rv.isolate()
	f.Change.After = wanted
	made, by := map[int][]Hunk{}, 0
	for _, r := range rv.revisions() {
		text := wanted[r.from+by : r.to+by+r.growth]
		by += r.growth
		at := rv.placeOf(r)
		made[at] = append(made[at], rv.revised(r, text)...)
	}
	var all []Hunk
	for i := range len(f.Hunks) + 1 {
		all = append(all, made[i]...)
		if i < len(f.Hunks) && !rv.gone[i] && (rv.in[i] || !overlapsAny(f.Hunks[i], made)) {
			all = append(all, f.Hunks[i])
		}
	}
	slices.SortStableFunc(all, func(a, b Hunk) int {
		return cmp.Or(cmp.Compare(a.Edit.Start, b.Edit.Start), cmp.Compare(a.Edit.End, b.Edit.End))
	})
	moved := func(h Hunk) bool { // the user has put it elsewhere
		return h.State == Rejected && slices.ContainsFunc(all, func(other Hunk) bool { return other.ID == h.ID && other.State != Rejected })
	}
	f.Hunks = slices.DeleteFunc(slices.Clone(all), moved)
	for i := range f.Hunks {
		if ground, has := rv.grounds[f.Hunks[i].ID]; has {
			f.setGround(i, ground)
		}
	}
}

// overlapsAny reports whether a hunk shares lines with another one.
func overlapsAny(h Hunk, others map[int][]Hunk) bool {
	for _, some := range others {
		for _, o := range some {
			if o.Edit.Start < h.Edit.End && h.Edit.Start < o.Edit.End || o.Edit == h.Edit {
				return true
			}
		}
	}
	return false
}

// isolate splits accepted hunks so that the user has changed each of them as a whole, or not at all.
func (rv *reviser) isolate() {
	for i := 0; i < len(rv.Hunks); {
		from, to, some := rv.cutOf(i)
		if !some {
			i++
			continue
		}
		before := len(rv.Hunks)
		rv.split(rv.Hunks[i].ID, from, to)
		rv.in = slices.Insert(rv.in, i, slices.Repeat([]bool{true}, len(rv.Hunks)-before)...)
	}
}

// cutOf returns which of its new lines an accepted hunk is to be split off; false if it need not be split.
func (rv *reviser) cutOf(i int) (from, to int, some bool) {
	h := rv.Hunks[i]
	lines := patch.SplitLines(h.Edit.New)
	if !rv.in[i] || h.State != Accepted || !slices.Equal(lines, rv.newLines(h.Edit)) {
		return 0, 0, false
	}
	s := rv.spans(rv.in)[i]
	for _, e := range patch.Diff(rv.with(rv.in), rv.wanted) {
		if s.from == s.to || !s.meets(e) {
			continue
		}
		from = len(patch.SplitLines(h.Edit.New[:max(e.Start-s.from, 0)]))
		to = len(patch.SplitLines(h.Edit.New[:min(e.End, s.to)-s.from]))
		if from == to {
			return 0, to, true // the user puts lines between those of the hunk
		}
		if to-from < len(lines) {
			return from, to, true
		}
	}
	return 0, 0, false
}

// revisions returns what the user has changed, in order.
func (rv *reviser) revisions() (all []revision) {
	for _, e := range patch.Diff(rv.with(rv.in), rv.wanted) {
		all = append(all, revision{from: e.Start, to: e.End, growth: len(e.New) - (e.End - e.Start)})
	}
	for grown := true; grown; {
		grown = false
		for k := range all {
			grown = rv.grow(&all[k]) || grown
		}
		for k := len(all) - 1; k > 0; k-- {
			if all[k-1].to > all[k].from || slices.ContainsFunc(all[k].hunks, func(i int) bool { return slices.Contains(all[k-1].hunks, i) }) {
				all[k-1].join(all[k])
				all, grown = slices.Delete(all, k, k+1), true
			}
		}
	}
	return all
}

// grow adds the hunks that a revision changes. Accepted ones are only those of which it changes lines.
func (rv *reviser) grow(r *revision) (grown bool) {
	for i, s := range rv.spans(rv.in) {
		if !rv.in[i] || slices.Contains(r.hunks, i) {
			continue
		}
		edit := patch.Edit{Start: r.from, End: r.to}
		accepted := rv.Hunks[i].State == Accepted
		if s.meets(edit) || !accepted && !r.owns && s.borders(edit) {
			r.join(revision{from: s.from, to: s.to, hunks: []int{i}, owns: accepted})
			grown = true
		}
	}
	return grown
}

func (r *revision) join(other revision) {
	r.from, r.to, r.growth = min(r.from, other.from), max(r.to, other.to), r.growth+other.growth
	r.owns = r.owns || other.owns
	r.hunks = append(r.hunks, other.hunks...)
	slices.Sort(r.hunks)
	r.hunks = slices.Compact(r.hunks)
}

// placeOf returns the index of the hunk before which those of a revision belong.
func (rv *reviser) placeOf(r revision) int {
	if len(r.hunks) > 0 {
		return r.hunks[0]
	}
	for i, s := range rv.spans(rv.in) {
		if rv.in[i] && s.from >= r.to {
			return i
		}
	}
	return len(rv.Hunks)
}

// base returns the place of a revision in the base text.
func (rv *reviser) base(r revision) (start, end int) {
	start, end = r.from, r.to
	for i, s := range rv.spans(rv.in) {
		switch {
		case !rv.in[i]:
		case slices.Contains(r.hunks, i):
			end -= rv.Hunks[i].growth()
		case s.to <= r.from:
			start, end = start-rv.Hunks[i].growth(), end-rv.Hunks[i].growth()
		}
	}
	return start, end
}

// revised returns the hunks of a revision, with the user's text of it.
func (rv *reviser) revised(r revision, text string) []Hunk {
	for _, i := range r.hunks {
		rv.gone[i] = true
	}
	start, end := rv.base(r)
	if r.owns || slices.ContainsFunc(r.hunks, func(i int) bool { return len(rv.Hunks[i].Grounds) > 0 }) {
		return rv.overAccepted(r, patch.Edit{Start: start, End: end, New: text})
	}
	var all []Hunk
	for _, e := range joinTouching(patch.Diff(rv.Change.Before[start:end], text)) {
		all = append(all, rv.known(patch.Edit{Start: start + e.Start, End: start + e.End, New: e.New}))
	}
	for _, i := range r.hunks {
		h := rv.Hunks[i]
		if !slices.ContainsFunc(all, func(other Hunk) bool { return touch(other.Edit, h.Edit) }) {
			h.State = Rejected
			all = append(all, h)
		}
	}
	return all
}

// known returns the hunk that makes an edit, or a new one.
func (rv *reviser) known(edit patch.Edit) Hunk {
	i := slices.IndexFunc(rv.Hunks, func(h Hunk) bool { return h.Edit == edit && h.State != Accepted })
	if i < 0 {
		return rv.newHunk(edit)
	}
	rv.gone[i] = true
	h := rv.Hunks[i]
	h.State, h.Note = Pending, ""
	return h
}

// overAccepted returns the hunks of a revision of accepted lines. Undoing those brings back what was there before, which the new hunk
// replaces as well.
func (rv *reviser) overAccepted(r revision, edit patch.Edit) (all []Hunk) {
	ground := rv.ground(r, edit)
	if edit.New == ground {
		for _, i := range r.hunks {
			h := rv.Hunks[i]
			if h.State != Accepted {
				h.State = Rejected
			}
			all = append(all, h)
		}
		return all
	}
	h := rv.newHunk(edit)
	h.Grounds = rv.groundsUnder(r, edit, ground)
	rv.grounds[h.ID] = ground
	return []Hunk{h}
}

// ground returns what is in the file at the place of a revision.
func (rv *reviser) ground(r revision, edit patch.Edit) string {
	var out strings.Builder
	at := edit.Start
	for _, i := range r.hunks {
		if h := rv.Hunks[i]; h.State == Accepted {
			out.WriteString(rv.Change.Before[at:h.Edit.Start] + h.Edit.New)
			at = h.Edit.End
		}
	}
	return out.String() + rv.Change.Before[at:edit.End]
}

// mostGrounds is how many texts in the place of one hunk are known.
const mostGrounds = 32

// groundsUnder returns all that can be at the place of a revision, what the run saw first.
func (rv *reviser) groundsUnder(r revision, edit patch.Edit, ground string) []string {
	all, at := []string{""}, edit.Start
	for _, i := range r.hunks {
		h := rv.Hunks[i]
		options := h.Grounds
		if len(options) == 0 {
			options = []string{rv.Change.Before[h.Edit.Start:h.Edit.End]}
		}
		if h.State == Accepted {
			options = append(slices.Clone(options), h.Edit.New)
		}
		if len(all)*len(options) > mostGrounds {
			options = options[:1]
		}
		var next []string
		for _, option := range options {
			for _, text := range all {
				next = append(next, text+rv.Change.Before[at:h.Edit.Start]+option)
			}
		}
		all, at = next, h.Edit.End
	}
	var distinct []string
	for _, text := range all {
		if text += rv.Change.Before[at:edit.End]; !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	if !slices.Contains(distinct, ground) {
		distinct = append(distinct, ground)
	}
	return distinct
}

package proposal

import (
	"slices"
	"strings"

	"forge/patch"
)

// A ground is a text in the place of a hunk that is not accepted: that of the base text, or, for a hunk that replaces accepted lines, also
// what comes back when the user undoes those.

// costs of what a reading of a text says of a hunk: a reading with the smallest sum is chosen.
const (
	costChanged = 1 // its state changes
	costGround  = 2 // what is in its place changes
	costRevoked = 4 // the user rejected it, and it is in the text
)

// reading is a way to read the beginning of a text as hunks and the lines between them.
type reading struct {
	end    int // of what is read
	cost   int
	before *reading
	in     bool   // the last hunk is in the text
	ground string // else what is in its place
}

// settleExactly sets what is accepted if a choice of hunks is exactly the text, and reports whether there is one. The user has typed
// nothing then, apart from what belongs to hunks.
func (f settler) settleExactly(text string) bool {
	readings, at := []*reading{{}}, 0
	for _, h := range f.Hunks {
		readings = f.read(readings, text, f.Change.Before[at:h.Edit.Start], h)
		at = h.Edit.End
	}
	last := slices.IndexFunc(readings, func(r *reading) bool { return text[r.end:] == f.Change.Before[at:] })
	if last < 0 {
		return false
	}
	r := readings[last]
	for i := len(f.Hunks) - 1; i >= 0; i-- {
		f.Hunks[i].settled(r.in)
		if !r.in {
			f.setGround(i, r.ground)
		}
		r = r.before
	}
	return true
}

// read continues readings by the lines before a hunk and by each text in its place. Of two readings that end at the same place the
// cheaper one is kept.
func (f settler) read(readings []*reading, text, between string, h Hunk) (next []*reading) {
	add := func(r reading) {
		i := slices.IndexFunc(next, func(other *reading) bool { return other.end == r.end })
		switch {
		case i < 0:
			next = append(next, &r)
		case r.cost < next[i].cost:
			next[i] = &r
		}
	}
	for _, r := range readings {
		rest, same := strings.CutPrefix(text[r.end:], between)
		if !same {
			continue
		}
		end := r.end + len(between)
		for _, ground := range f.groundsOf(h) {
			if strings.HasPrefix(rest, ground) {
				add(reading{end: end + len(ground), cost: r.cost + f.costOf(h, ground), before: r, ground: ground})
			}
		}
		if strings.HasPrefix(rest, h.Edit.New) {
			add(reading{end: end + len(h.Edit.New), cost: r.cost + costIn(h), before: r, in: true})
		}
	}
	return next
}

func (f settler) costOf(h Hunk, ground string) (cost int) {
	if h.State == Accepted {
		cost = costChanged
	}
	if ground != f.Change.Before[h.Edit.Start:h.Edit.End] {
		cost += costGround
	}
	return cost
}

func costIn(h Hunk) int {
	switch h.State {
	case Accepted:
		return 0
	case Rejected:
		return costRevoked
	default:
		return costChanged
	}
}

// groundsOf returns the texts that may be in the place of a hunk, that of the base text first.
func (f *File) groundsOf(h Hunk) []string {
	now := f.Change.Before[h.Edit.Start:h.Edit.End]
	others := slices.DeleteFunc(slices.Clone(h.Grounds), func(g string) bool { return g == now })
	return append([]string{now}, others...)
}

// setGround puts a text in the place of a hunk into the base text.
func (f *File) setGround(i int, ground string) {
	edit := f.Hunks[i].Edit
	if f.Change.Before[edit.Start:edit.End] == ground {
		return
	}
	f.rebased = true
	f.Change.Before = splice(f.Change.Before, []patch.Edit{{Start: edit.Start, End: edit.End, New: ground}})
	by := len(ground) - (edit.End - edit.Start)
	f.Hunks[i].Edit.End += by
	for j := i + 1; j < len(f.Hunks); j++ {
		h := &f.Hunks[j]
		h.Edit.Start, h.Edit.End = h.Edit.Start+by, h.Edit.End+by
		h.Line = lineAt(f.Change.Before, h.Edit.Start)
	}
}

// original returns the base text as the run saw it, apart from what the user typed.
func (f *File) original() string {
	other := f.clone()
	for i, h := range other.Hunks {
		if len(h.Grounds) > 0 {
			other.setGround(i, h.Grounds[0])
		}
	}
	return other.Change.Before
}

// clone returns a copy whose hunks can change independently.
func (f *File) clone() File {
	other := *f
	other.Hunks = slices.Clone(f.Hunks)
	return other
}

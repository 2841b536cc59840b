package proposal

import (
	"slices"

	"forge/patch"
)

// planUpdate places each chosen hunk.
func (f *File) planUpdate(plan *FilePlan, chosen []int) {
	if !plan.Current.Exists {
		f.conflict(plan, chosen...)
		return
	}
	places := settler{f}.placesIn(plan.Current.Text)
	for _, i := range chosen {
		if places.in[i] {
			continue // already in the text
		}
		if edit, free := places.of(i); free {
			plan.add(f.Hunks[i], edit, len(places.typed) > 0)
		} else {
			f.conflict(plan, i)
		}
	}
	plan.finish()
}

// places are where hunks that are not accepted can go in a text. They are compared with the base text that has the accepted hunks, so that the
// remaining difference to the text is the user's own.
type places struct {
	*File
	in    []bool // the accepted hunks
	base  string // the base text with them
	by    []int  // how much longer they make the base text before each hunk
	typed []patch.Edit
}

// placesIn settles the file in a text.
func (f settler) placesIn(text string) places {
	f.settleText(text)
	p := places{File: f.File, in: f.in(Accepted), by: make([]int, len(f.Hunks))}
	p.base = f.with(p.in)
	p.typed = joinTouching(patch.Diff(p.base, text))
	by := 0
	for i, h := range f.Hunks {
		p.by[i] = by
		if p.in[i] {
			by += h.growth()
		}
	}
	return p
}

// here returns a hunk as an edit of the base text with the accepted hunks.
func (p places) here(i int) patch.Edit {
	e := p.Hunks[i].Edit
	return patch.Edit{Start: e.Start + p.by[i], End: e.End + p.by[i], New: e.New}
}

// of returns a hunk as an edit of the text; free is false if the user has changed its lines.
func (p places) of(i int) (edit patch.Edit, free bool) {
	here := p.here(i)
	near := touching(p.typed, here)
	return shift(here, p.typed), len(near) == 0 || beside(p.base, here, near)
}

// add appends a hunk's edit; moved means that it was merged with the user's text.
func (plan *FilePlan) add(h Hunk, edit patch.Edit, moved bool) {
	risk := h.Risk
	if moved && risk != RiskControl {
		risk = RiskRebased
	}
	plan.Edits = append(plan.Edits, PlannedEdit{HunkID: h.ID, Edit: edit, Risk: risk})
}

// finish computes Want and Done from the edits, which are ordered and do not touch by construction.
func (plan *FilePlan) finish() {
	edits := make([]patch.Edit, len(plan.Edits))
	for i, e := range plan.Edits {
		edits[i] = e.Edit
	}
	plan.Want = splice(plan.Current.Text, edits)
	plan.Done = len(plan.Edits) == 0 && len(plan.Conflicts) == 0
}

// in reports for each of the file's hunks whether it has a state.
func (f *File) in(state State) []bool {
	in := make([]bool, len(f.Hunks))
	for i, h := range f.Hunks {
		in[i] = h.State == state
	}
	return in
}

// edits returns the chosen hunks as edits of the base text.
func (f *File) edits(in []bool) []patch.Edit {
	var edits []patch.Edit
	for i, h := range f.Hunks {
		if in[i] {
			edits = append(edits, h.Edit)
		}
	}
	return edits
}

// with returns the base text with the chosen hunks applied.
func (f *File) with(in []bool) string { return splice(f.Change.Before, f.edits(in)) }

// splice applies ordered edits that do not overlap.
func splice(text string, edits []patch.Edit) string {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return string(append(out, text[at:]...))
}

// touch reports whether two edits of one text share a byte or a border. Touching edits are not merged, except for those that beside allows:
// the order of two insertions at one place is unknown.
func touch(a, b patch.Edit) bool { return a.Start <= b.End && b.Start <= a.End }

// touching returns those edits of a text that touch another one.
func touching(edits []patch.Edit, other patch.Edit) (all []patch.Edit) {
	for _, e := range edits {
		if touch(e, other) {
			all = append(all, e)
		}
	}
	return all
}

// beside reports whether edits that touch a replacement of lines leave those lines as they are, and it is clear which they are: of equal lines
// the text does not show which are the user's. They do not where the new lines are among those typed.
func beside(text string, replacement patch.Edit, near []patch.Edit) bool {
	old := text[replacement.Start:replacement.End]
	if old == "" {
		return false // the order of two insertions at one place is unknown
	}
	was, is := old, old
	for _, e := range near {
		lines := text[e.Start:e.End]
		switch {
		case e.End <= replacement.Start && ended(e.New):
			was, is = lines+was, e.New+is
		case e.Start >= replacement.End && ended(replacement.New):
			was, is = was+lines, is+e.New
		default:
			return false
		}
	}
	made := replacement.New != "" && occurrences(is, replacement.New) > 0 // as an editor does that applies the edit to lines further up or down
	return occurrences(was, old) == 1 && occurrences(is, old) == 1 && !made
}

// ended reports whether what follows a text begins a line.
func ended(text string) bool { return text == "" || patch.LineEnd(text) != "" }

// occurrences counts where some lines are in a text, one after the other.
func occurrences(text, of string) (n int) {
	lines, some := patch.SplitLines(text), patch.SplitLines(of)
	for i := range len(lines) - len(some) + 1 {
		if slices.Equal(lines[i:i+len(some)], some) {
			n++
		}
	}
	return n
}

// shift moves an edit to the place of its lines after other edits, which may end where it begins, or begin where it ends if it has lines.
func shift(edit patch.Edit, others []patch.Edit) patch.Edit {
	by := 0
	for _, o := range others {
		if o.End <= edit.Start {
			by += len(o.New) - (o.End - o.Start)
		}
	}
	edit.Start += by
	edit.End += by
	return edit
}

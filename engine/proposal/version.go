package proposal

import (
	"slices"

	"forge/patch"
)

// amendUpdate makes hunks of the user's version of a changed file. Hunks that the version leaves as they are stay. It fails, and changes
// nothing, if the version cannot be distinguished from what the user typed into accepted lines.
func (f *File) amendUpdate(text string, now Current) bool {
	for _, absorbed := range []bool{false, true} {
		trial := f.clone()
		wanted, conflicts := patch.Merge(now.Text, trial.with(trial.in(Accepted)), text)
		if absorbed {
			if conflicts, wanted = nil, text; !trial.absorb(now.Text) {
				return false
			}
		}
		if len(conflicts) > 0 {
			continue
		}
		trial.revise(trial.placed(now), wanted)
		if proposed, all := trial.proposes(now); all && proposed == text {
			*f = trial
			f.Change.After, f.Change.Matches = f.with(slices.Repeat([]bool{true}, len(f.Hunks))), nil
			return true
		}
	}
	return false
}

// placed reports for each hunk whether it is in the proposed text.
func (f *File) placed(now Current) []bool {
	plan := FilePlan{Current: now}
	probe := f.clone()
	in := f.in(Pending)
	probe.planUpdate(&plan, indexes(in))
	for i, h := range f.Hunks {
		in[i] = h.State == Accepted || in[i] && plan.holds(h.ID)
	}
	return in
}

// proposes returns the proposed text, and whether all pending hunks are in it.
func (f *File) proposes(now Current) (text string, all bool) {
	plan := FilePlan{Current: now}
	probe := f.clone()
	probe.planUpdate(&plan, indexes(f.in(Pending)))
	return plan.Want, len(plan.Conflicts) == 0
}

func indexes(in []bool) (all []int) {
	for i := range in {
		if in[i] {
			all = append(all, i)
		}
	}
	return all
}

// absorb makes what the user typed a part of the base text. It fails if accepted lines were changed.
func (f *File) absorb(now string) bool {
	parts := reviser{File: f, in: f.in(Accepted), wanted: now}
	parts.isolate() // lines can have been put between accepted ones
	in := parts.in
	spans := f.spans(in)
	typed := joinTouching(patch.Diff(f.with(in), now)) // edits of the text with what is accepted
	var own []patch.Edit                               // the same of the base text
	for _, e := range typed {
		by := 0
		for i, s := range spans {
			if in[i] && s.meets(e) {
				return false
			}
			if in[i] && s.to <= e.Start {
				by += f.Hunks[i].growth()
			}
		}
		own = append(own, patch.Edit{Start: e.Start - by, End: e.End - by, New: e.New})
	}
	f.Change.Before, f.rebased = splice(f.Change.Before, own), len(own) > 0 || f.rebased
	var hunks []Hunk
	for i, h := range f.Hunks {
		before := own
		if in[i] { // several accepted ones can begin at one place, with something typed between them
			before = own[:len(slices.DeleteFunc(slices.Clone(typed), func(e patch.Edit) bool { return e.Start >= spans[i].to }))]
		} else if slices.ContainsFunc(own, func(e patch.Edit) bool { return touch(e, h.Edit) }) {
			continue
		}
		h.Edit = shift(h.Edit, before)
		h.Line = lineAt(f.Change.Before, h.Edit.Start)
		hunks = append(hunks, h)
	}
	f.Hunks = hunks
	return true
}

// stretch is where a hunk is in a text that has it.
type stretch struct{ from, to int }

// meets reports whether an edit of the text changes the hunk: its lines, or, if it only deletes, its place.
func (s stretch) meets(e patch.Edit) bool {
	if s.from == s.to {
		return s.borders(e)
	}
	return e.Start < s.to && s.from < e.End
}

func (s stretch) borders(e patch.Edit) bool { return e.Start <= s.to && s.from <= e.End }

// spans returns where the hunks that are in a text are in it; the others are empty.
func (f *File) spans(in []bool) []stretch {
	all, by := make([]stretch, len(f.Hunks)), 0
	for i, h := range f.Hunks {
		if in[i] {
			all[i] = stretch{h.Edit.Start + by, h.Edit.Start + by + len(h.Edit.New)}
			by += f.Hunks[i].growth()
		}
	}
	return all
}

// growth is by how many bytes the hunk makes the text longer.
func (h Hunk) growth() int { return len(h.Edit.New) - (h.Edit.End - h.Edit.Start) }

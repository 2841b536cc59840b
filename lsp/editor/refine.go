package editor

import "forge/patch"

// refine makes edits of whole lines as small as it is worth: what the text has in common before and after
// is kept, character by character, so that cursors, breakpoints and marks in it stay. Few edits are worth
// more than the very fewest characters: see worth. No edit begins or ends inside a character or between
// the "\r" and the "\n" of one line break.
func refine(before string, edits []patch.Edit) []patch.Edit {
	var fine []patch.Edit
	for _, e := range joinNear(before, edits) {
		fine = append(fine, refineOne(before, e)...)
	}
	return fine
}

// Edits with at most near bytes between them, a line or two, are refined as one, so that what moved from one
// to the other is found; but not more of them than make maxRegion bytes.
const (
	near      = 64
	maxRegion = 2048
)

func joinNear(before string, edits []patch.Edit) []patch.Edit {
	return join(before, edits, func(a, b patch.Edit) bool {
		return b.Start-a.End <= near && b.End-a.Start <= maxRegion && len(a.New)+near+len(b.New) <= maxRegion
	})
}

// refineOne cuts one edit down to what differs.
func refineOne(before string, e patch.Edit) []patch.Edit {
	a, b := newSymbols(before[e.Start:e.End]), newSymbols(e.New)
	gaps := a.differences(b, 0)
	if len(gaps) > 1 {
		gaps = a.differences(b, worth(gaps))
	}
	var fine []patch.Edit
	for _, gap := range gaps {
		fine = append(fine, patch.Edit{
			Start: e.Start + a.at[gap.aFrom], End: e.Start + a.at[gap.aTo], New: e.New[b.at[gap.bFrom]:b.at[gap.bTo]],
		})
	}
	return fine
}

// worth is what one edit less is worth, in characters that are deleted and inserted again for it: few where
// little changes, so that slips of the pen stay small edits, and more where a text is rewritten and has only
// letters in common with the old one. With these figures, edits of commits that were not used to choose them
// come out at 1.04 to 1.06 times the fewest characters possible, in 2.8 to 3.4 edits a file.
func worth(least []gap) int {
	changed := 0
	for _, g := range least {
		changed += g.aTo - g.aFrom + g.bTo - g.bFrom
	}
	return min(3+changed/4, 18)
}

// join makes one edit of an edit and the one behind it, again and again, where they belong together.
func join(before string, edits []patch.Edit, together func(a, b patch.Edit) bool) []patch.Edit {
	var out []patch.Edit
	for _, e := range edits {
		if n := len(out) - 1; n >= 0 && together(out[n], e) {
			last := out[n]
			out[n] = patch.Edit{Start: last.Start, End: e.End, New: last.New + before[last.End:e.Start] + e.New}
			continue
		}
		out = append(out, e)
	}
	return out
}

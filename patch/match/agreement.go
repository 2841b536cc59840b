package match

import (
	"slices"
	"strings"
)

// agreement measures how far the context of a hunk and the lines of a text agree.
type agreement struct {
	differ int // lines that differ, are missing or are inserted, without blank ones
	agree  int // equal lines, without blank ones
	words  int // those of them that have a letter or a digit
	moved  int // those that differ only in indentation
}

func (a agreement) plus(b agreement) agreement {
	return agreement{differ: a.differ + b.differ, agree: a.agree + b.agree, words: a.words + b.words, moved: a.moved + b.moved}
}

// maxDiffer bounds the differing lines of context: one is a slip, more is another text.
const maxDiffer = 1

// enough reports whether the whole context supports a place: at least as many lines agree as differ, and one of them has a word. A hunk
// that only adds lines is found by its context alone, so two lines must agree. If a line is indented differently from the text, the
// added lines may be too, by an unknown amount.
func (a agreement) enough(anchored bool) bool {
	if a.agree < a.differ || a.agree == 0 || a.differ > maxDiffer || a.moved > 0 {
		return false
	}
	return anchored || a.words > 0 && a.agree > 1
}

// fair reports whether one piece of context does not contradict its place. A single line may differ; between two changes a line must
// agree.
func (a agreement) fair(between bool) bool {
	return a.differ <= max(1, a.agree) && (a.agree > 0 || a.differ == 0 || !between)
}

// better reports whether a is a better agreement of the same lines than b.
func (a agreement) better(b agreement) bool {
	return a.differ < b.differ || a.differ == b.differ && a.agree > b.agree
}

// compareContext aligns context with lines of a text with the fewest differences. With open, the text may continue after the context.
func compareContext(context, rows []row, open bool) agreement {
	// best[j] is the best agreement of the context so far with the first j rows.
	best := make([]agreement, len(rows)+1)
	for j, r := range rows {
		best[j+1] = best[j].past(r, false)
	}
	for _, c := range context {
		diagonal := best[0]
		best[0] = best[0].past(c, c.gap)
		for j, r := range rows {
			here := best[j+1].past(c, c.gap)
			if along := best[j].past(r, c.gap); along.better(here) {
				here = along
			}
			if across, ok := diagonal.pair(c, r); ok && across.better(here) {
				here = across
			}
			diagonal, best[j+1] = best[j+1], here
		}
	}
	if !open {
		return best[len(rows)]
	}
	top := best[0]
	for _, a := range best[1:] {
		if a.better(top) {
			top = a
		}
	}
	return top
}

// past extends an agreement by a line that only one side has.
func (a agreement) past(r row, free bool) agreement {
	if !free && !r.blank {
		a.differ++
	}
	return a
}

// pair extends an agreement by a line of both sides.
func (a agreement) pair(c, r row) (agreement, bool) {
	switch {
	case c.gap, c.blank != r.blank:
		return a, false
	case c.blank:
	case c.text != r.text:
		a.differ++
		if strings.TrimLeft(c.text, " \t") == strings.TrimLeft(r.text, " \t") {
			a.moved++
		}
	default:
		a.agree++
		if hasWord(c.text) {
			a.words++
		}
	}
	return a, true
}

func reversed(rows []row) []row {
	rows = slices.Clone(rows)
	slices.Reverse(rows)
	return rows
}

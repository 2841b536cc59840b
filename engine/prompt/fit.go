package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// rank orders the kinds by how early they are cut: the highest first. Maps and lessons help; explored context
// is needed, files to change more so, and the project's guides most. Kinds without a rank come last.
var rank = map[Kind]int{
	Map: 8, Lessons: 7, Interfaces: 6, Dependencies: 5, Explored: 4, Errors: 3, Targets: 2, Guides: 1,
}

// stableShare is the share of the budget for sections before the cache mark, in percent, regardless of the rest:
// so a longer attempt does not change the beginning of the document.
const stableShare = 40

// fitAll cuts ordered sections to the budget: those before the mark to their share, the others to the rest, and those
// before the mark again if that is not enough.
func fitAll(ordered []Section, budget int) []Section {
	mark := slices.IndexFunc(ordered, func(s Section) bool { return !s.Kind.stable() })
	if mark < 0 {
		mark = len(ordered)
	}
	before := fit(ordered[:mark], budget*stableShare/100)
	after := fit(ordered[mark:], budget-cost(before))
	return fit(slices.Concat(before, after), budget)
}

// cost returns the tokens of sections.
func cost(sections []Section) (tokens int) {
	for _, s := range sections {
		tokens += Tokens(s.render())
	}
	return tokens
}

// fit cuts sections until they are within the budget, or nothing more can be cut.
func fit(sections []Section, budget int) []Section {
	fitted := slices.Clone(sections)
	for excess := cost(fitted) - budget; excess > 0; {
		next := -1
		for i, s := range fitted {
			if s.Cut > 0 && (next < 0 || !s.before(fitted[next])) {
				next = i
			}
		}
		if next < 0 {
			return fitted
		}
		was := Tokens(fitted[next].render())
		fitted[next] = fitted[next].shorten(excess)
		excess -= was - Tokens(fitted[next].render())
	}
	return fitted
}

// before reports whether a section is kept when another one is cut that precedes it in the document.
func (s Section) before(other Section) bool {
	if a, b := rank[s.Kind], rank[other.Kind]; a != b {
		return a < b
	}
	return s.Cut < other.Cut
}

const cutMark = "\n[… the rest was left out to fit the budget]"

// shorten drops about that many tokens from the section's end, at a nearby line end. An empty section can no longer be cut.
func (s Section) shorten(tokens int) Section {
	text := strings.TrimSuffix(s.Text, cutMark)
	keep := len(text) - 4*tokens - 2*len(cutMark)
	if keep > 0 {
		s.Text = whole(text[:keep]) + cutMark
		return s
	}
	s.Cut = 0
	if len(s.Text) > len(cutMark) {
		s.Text = strings.TrimLeft(cutMark, "\n")
	}
	return s
}

// whole returns the beginning of a truncated text up to the end of a line, or of a character if the last line is very long.
func whole(text string) string {
	if end := strings.LastIndexByte(text, '\n'); end >= len(text)/2 {
		return text[:end]
	}
	for len(text) > 0 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

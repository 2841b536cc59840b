package patch

import "strings"

// Merge merges the changes of two sides of one base, line by line, like diff3 (S. Khanna, K. Kunal, B. Pierce, "A Formal Investigation
// of Diff3", 2007). Changes merge if at least one base line that neither touches is between them, or if both are the same. Otherwise they
// conflict: the merged text has our side, and a Conflict lists the place.
func Merge(base, ours, theirs string) (merged string, conflicts []Conflict) {
	b, o, t := SplitLines(base), SplitLines(ours), SplitLines(theirs)
	left, right := side{lines: o, chunks: compare(b, o)}, side{lines: t, chunks: compare(b, t)}
	var out strings.Builder
	at := 0
	for left.more() || right.more() {
		r := nextRegion(&left, &right)
		writeLines(&out, b[at:r.from])
		was, mine, other := join(b[r.from:r.to]), left.take(r), right.take(r)
		switch {
		case mine == was:
			out.WriteString(other)
		default:
			out.WriteString(mine)
			if other != was && other != mine {
				conflicts = append(conflicts, Conflict{StartLine: r.from + 1, EndLine: r.to + 1, Base: was, Ours: mine, Theirs: other})
			}
		}
		at = r.to
	}
	writeLines(&out, b[at:])
	return out.String(), conflicts
}

// region is a range of base lines.
type region struct{ from, to int }

// side is the reading position in one side of a merge.
type side struct {
	lines  []string
	chunks []chunk // not yet merged
	offset int     // index in lines minus index in base, after the chunks merged so far
}

func (s *side) more() bool { return len(s.chunks) > 0 }

// nextRegion returns the first range of base lines that changes of either side cover, with all changes that touch it.
func nextRegion(a, b *side) region {
	first := a
	if !a.more() || b.more() && b.chunks[0].aFrom < a.chunks[0].aFrom {
		first = b
	}
	r := region{from: first.chunks[0].aFrom, to: first.chunks[0].aTo}
	for grown := true; grown; {
		grown = false
		for _, s := range []*side{a, b} {
			for _, c := range s.chunks {
				if c.aFrom > r.to {
					break
				}
				if c.aTo > r.to {
					r.to, grown = c.aTo, true
				}
			}
		}
	}
	return r
}

// take returns a side's replacement of a range of base lines, and advances past it.
func (s *side) take(r region) string {
	from := r.from + s.offset
	for s.more() && s.chunks[0].aFrom <= r.to {
		c := s.chunks[0]
		s.offset = c.bTo - c.aTo
		s.chunks = s.chunks[1:]
	}
	return join(s.lines[from : r.to+s.offset])
}

func join(lines []string) string { return strings.Join(lines, "") }

func writeLines(b *strings.Builder, lines []string) {
	for _, line := range lines {
		b.WriteString(line)
	}
}

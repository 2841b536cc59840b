package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/patch"
)

// narrow keeps the places that the headers of a hunk support. Headers only break ties: a single place is kept, and a single header that
// matches no line is ignored, because models misremember headers. In a stack each header must match a line; missing is the one that does
// not. old are the lines at the places: a header may match one of them, or a line above.
func (l *ladder) narrow(h patch.Hunk, old []string, places []place) (kept []place, missing string) {
	lines, missing := l.anchored(h.Anchors)
	if missing != "" && len(h.Anchors) > 1 {
		return nil, missing
	}
	if len(places) < 2 || len(lines) == 0 {
		return places, ""
	}
	if kept = l.scoped(places, lines, len(old)); len(kept) > 0 {
		return firstOfTwo(h, kept), ""
	}
	if kept = l.scopedFurther(places[0].level, old, lines); len(kept) > 0 {
		return kept, ""
	}
	behind := func(anchor, at int) bool { return at > anchor }
	if kept = supported(places, lines, behind); len(kept) > 0 {
		return firstBehind(lines, kept), ""
	}
	return places, ""
}

// scopedFurther tries the lower rungs that ignore only layout, if all places at one rung are outside the block that the header opens: the
// place inside may have a space at the end of a line.
func (l *ladder) scopedFurther(level patch.Level, old []string, anchors []int) []place {
	for level++; level <= patch.Unicode; level++ {
		if inside := l.scoped(l.findAt(level, old, false), anchors, len(old)); len(inside) > 0 {
			return inside
		}
	}
	return nil
}

// scoped keeps the places in the blocks that the anchor lines open.
func (l *ladder) scoped(places []place, anchors []int, size int) []place {
	return supported(places, anchors, func(anchor, at int) bool { return l.inScope(anchor, at, size) })
}

// firstOfTwo keeps the first of two exact places: after a header or the previous hunk, the notation means the first. Both must have
// lines with words, unlike three closing brackets. It keeps none of more than two places: such lines are common in the file, and a patch
// that matches all of them is not precise enough.
func firstOfTwo(h patch.Hunk, places []place) []place {
	if len(places) != 2 || h.Near > 0 || h.Literal != nil || places[0].level > patch.Exact || telling(h) < minTelling {
		return places
	}
	return places[:1]
}

// minTelling is the number of old lines with a word that firstOfTwo requires.
const minTelling = 3

// telling counts the old lines of a hunk that have a word.
func telling(h patch.Hunk) int {
	n := 0
	for _, line := range h.Lines {
		if line.Kind != patch.Add && hasWord(line.Text) {
			n++
		}
	}
	return n
}

// supported keeps the places for which a rule holds with one of the anchor lines.
func supported(places []place, anchors []int, rule func(anchor, at int) bool) []place {
	var kept []place
	for _, p := range places {
		if slices.ContainsFunc(anchors, func(anchor int) bool { return rule(anchor, p.at) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// firstBehind keeps the first of several exact places after the one line that a header matches, if none is in the block of that line: then
// the header is the last line of its kind above the hunk, as in diff tools. Other ties remain.
func firstBehind(anchors []int, places []place) []place {
	if len(anchors) > 1 || len(places) < 2 || places[0].level > patch.Exact {
		return places
	}
	return places[:1]
}

// anchored returns the indices of the lines that the innermost header matches. Each header is searched in the scopes of the previous one,
// or else after its first line.
func (l *ladder) anchored(anchors []string) (lines []int, missing string) {
	for i, anchor := range anchors {
		if anchor == "" {
			continue
		}
		found := l.findAnchor(anchor)
		if i > 0 && len(lines) > 0 {
			found = l.below(lines, found)
		}
		if len(found) == 0 {
			return nil, anchor
		}
		lines = found
	}
	return lines, ""
}

func (l *ladder) below(outer, inner []int) []int {
	var scoped, behind []int
	for _, line := range inner {
		if slices.ContainsFunc(outer, func(o int) bool { return line > o && l.inScope(o, line, 1) }) {
			scoped = append(scoped, line)
		}
		if line > outer[0] {
			behind = append(behind, line)
		}
	}
	if len(scoped) > 0 {
		return scoped
	}
	return behind
}

// findAnchor returns the lines equal to a header at the first rung that has one; on the last rung the
// header may also be the beginning of the line.
func (l *ladder) findAnchor(anchor string) []int {
	for level := patch.Exact; level <= patch.Indentation; level++ {
		var found []int
		for i, row := range l.rung(level) {
			if row == normal(level, anchor) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	var found []int
	want := normal(patch.Indentation, anchor)
	for i, row := range l.rung(patch.Indentation) {
		if rest, ok := strings.CutPrefix(row, want); ok && endsWord(want, rest) {
			found = append(found, i)
		}
	}
	return found
}

// endsWord reports whether the header ends at a word boundary of its line.
func endsWord(header, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(header)
	next, _ := utf8.DecodeRuneInString(rest)
	return !isWord(last) || !isWord(next)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// inScope reports whether a place begins in the block that the anchor line opens, or holds that line.
// A block reaches as far as lines are indented deeper than its first line, and includes the line that
// closes it; the indentation of most languages shows this without knowing the language.
func (l *ladder) inScope(anchor, at, size int) bool {
	if at <= anchor {
		return anchor < at+size
	}
	depth := len(indent(l.lines[anchor]))
	for _, line := range l.lines[anchor+1 : at] {
		if patch.IsBlank(line) || len(indent(line)) > depth || continuesHead(line) {
			continue
		}
		return false
	}
	return true
}

// continuesHead recognises the last line of a head that goes over several lines: ") error {".
func continuesHead(line string) bool {
	line = strings.TrimSpace(line)
	closes := strings.HasPrefix(line, ")") || strings.HasPrefix(line, "]")
	return closes && (strings.HasSuffix(line, "{") || strings.HasSuffix(line, ":")) || line == "{"
}

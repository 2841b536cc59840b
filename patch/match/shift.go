package match

import (
	"strings"

	"forge/patch"
)

// shift is a uniform offset of indentation: it converts the leading white space of a hunk's lines to that of the text. The zero shift
// changes nothing.
//
// A shift is derived from the old lines and must also fit the added lines; otherwise there is no match.
type shift struct {
	cut, put string // a prefix that is removed, and one that is added
	unit     int    // > 0: that many spaces of the hunk are one tab of the text; < 0: vice versa
}

// findShift returns the shift from the indentation of every old line to that of its line in the text. The first line whose own offset fits
// all lines decides; blank lines have none.
func findShift(old, lines []string) (shift, bool) {
	for i := range old {
		if patch.IsBlank(old[i]) {
			continue
		}
		s, ok := shiftBetween(indent(plain(old[i])), indent(plain(lines[i])))
		if ok && s.holds(old, lines) {
			return s, true
		}
	}
	return shift{}, false
}

// shiftBetween derives the shift from the indentation of one line.
func shiftBetween(from, to string) (shift, bool) {
	switch {
	case strings.HasSuffix(to, from):
		return shift{put: to[:len(to)-len(from)]}, true
	case strings.HasSuffix(from, to):
		return shift{cut: from[:len(from)-len(to)]}, true
	}
	if tabs, spaces := len(to), len(from); strings.Trim(to, "\t") == "" && strings.Trim(from, " ") == "" && spaces%tabs == 0 {
		return shift{unit: spaces / tabs}, true
	}
	if tabs, spaces := len(from), len(to); strings.Trim(from, "\t") == "" && strings.Trim(to, " ") == "" && spaces%tabs == 0 {
		return shift{unit: -spaces / tabs}, true
	}
	return shift{}, false
}

func (s shift) holds(old, lines []string) bool {
	for i := range old {
		if patch.IsBlank(old[i]) {
			continue
		}
		from := indent(plain(old[i]))
		if !strings.HasPrefix(from, s.cut) || s.indent(from) != indent(plain(lines[i])) {
			return false
		}
	}
	return true
}

// fits reports whether every added line has the indentation that the shift removes, and is not already at the shifted indentation.
func (s shift) fits(h patch.Hunk) bool {
	for _, l := range h.Lines {
		if l.Kind == patch.Add && !patch.IsBlank(l.Text) && !strings.HasPrefix(indent(l.Text), s.cut) {
			return false
		}
	}
	return h.Literal == nil || s.put == "" || !s.anticipated(h.Lines)
}

// anticipated recognises a replacement that shares no line with its search and has the indentation of the text, though the search has not:
// then the offset may apply to the search only.
func (s shift) anticipated(lines []patch.Line) bool {
	least := map[patch.LineKind]string{}
	for _, l := range lines {
		if patch.IsBlank(l.Text) {
			continue
		}
		lead, seen := least[l.Kind]
		if own := indent(l.Text); !seen || len(own) < len(lead) {
			least[l.Kind] = own
		}
	}
	_, shared := least[patch.Context]
	added, adds := least[patch.Add]
	return !shared && adds && added == s.put+least[patch.Remove]
}

// apply shifts an added line.
func (s shift) apply(line string) string {
	if patch.IsBlank(line) {
		return line
	}
	lead := indent(line)
	return s.indent(lead) + line[len(lead):]
}

func (s shift) indent(lead string) string {
	switch {
	case s.unit > 0:
		spaces := len(lead) - len(strings.TrimLeft(lead, " "))
		return strings.Repeat("\t", spaces/s.unit) + lead[spaces/s.unit*s.unit:]
	case s.unit < 0:
		tabs := len(lead) - len(strings.TrimLeft(lead, "\t"))
		return strings.Repeat(" ", tabs*-s.unit) + lead[tabs:]
	}
	return s.put + strings.TrimPrefix(lead, s.cut)
}

// indent returns the white space that begins a line.
func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

package match

import (
	"slices"
	"strings"
	"unicode/utf8"

	"forge/patch"
)

// ladder is the match ladder over one text. Each rung searches the whole text before the next rung is tried, and each ignores more
// differences than the one before.
//
// Invariant: a rung compares lines by a normal form, never by likeness. Two lines are equal at a rung or they are not.
type ladder struct {
	doc   *document
	lines []string                        // the document's
	rungs [patch.Indentation + 1][]string // normal forms of lines, computed when a rung is first used
}

func newLadder(d *document) *ladder {
	l := &ladder{doc: d, lines: d.lines}
	l.rungs[patch.Exact] = d.lines
	return l
}

// place is a match of the old lines of a hunk in a text.
type place struct {
	at    int         // index of the first line
	level patch.Level // the rung that found it
	shift shift       // converts the hunk's indentation to the text's
}

// find returns every place of the old lines at the first rung that has one. With eof, only the end of the text counts.
func (l *ladder) find(old []string, eof bool) []place {
	for level := patch.Exact; level <= patch.Indentation; level++ {
		if found := l.findAt(level, old, eof); len(found) > 0 {
			return found
		}
	}
	return nil
}

// findAt returns every place at one rung. On the last rung a line must have more than brackets, which match at any indentation.
func (l *ladder) findAt(level patch.Level, old []string, eof bool) []place {
	if level == patch.Indentation && !slices.ContainsFunc(old, hasWord) {
		return nil
	}
	rows, want := l.rung(level), normalAll(level, old)
	var found []place
	first := 0
	if eof {
		first = max(0, len(rows)-len(want))
	}
	for at := first; at+len(want) <= len(rows); at++ {
		if !slices.Equal(rows[at:at+len(want)], want) {
			continue
		}
		p := place{at: at, level: level}
		ok := true
		if level == patch.Indentation {
			p.shift, ok = findShift(old, l.lines[at:at+len(old)])
		}
		if ok {
			found = append(found, p)
		}
	}
	return found
}

func (l *ladder) rung(level patch.Level) []string {
	if l.rungs[level] == nil {
		l.rungs[level] = normalAll(level, l.lines)
	}
	return l.rungs[level]
}

func normalAll(level patch.Level, lines []string) []string {
	if level == patch.Exact {
		return lines
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = normal(level, line)
	}
	return out
}

// normal returns the normal form of a line at a level: equal lines have equal forms.
func normal(level patch.Level, line string) string {
	switch level {
	case patch.Exact:
		return line
	case patch.TrailingSpace:
		return strings.TrimRight(line, " \t")
	case patch.Unicode:
		return strings.TrimRight(plain(line), " \t")
	default:
		return strings.Trim(plain(line), " \t")
	}
}

// plain replaces typographic dashes, quotes and spaces by their ASCII forms.
func plain(line string) string {
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return strings.Map(plainRune, line)
		}
	}
	return line
}

func plainRune(r rune) rune {
	switch {
	case r >= 0x2010 && r <= 0x2015, r == 0x2212:
		return '-'
	case r >= 0x2018 && r <= 0x201b:
		return '\''
	case r >= 0x201c && r <= 0x201f:
		return '"'
	case r == 0xa0, r >= 0x2002 && r <= 0x200a, r == 0x202f, r == 0x205f, r == 0x3000:
		return ' '
	}
	return r
}

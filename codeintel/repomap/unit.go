package repomap

import (
	"strings"

	"forge/codeintel"
)

// The most lines that a unit has, and that two have together to be one.
const (
	longUnit  = 70
	cutUnit   = 40 // of what has no blank line where it could be cut
	shortUnit = 6
	fewLines  = 24
)

// unit is lines of a file that belong together: a function with its comment, a paragraph of declarations, a test.
type unit struct {
	first, last int      // from 0, inclusive
	names       []string // of the symbols that are defined there
	rank        int      // of a changelog: the place among its units
}

// unitsOf cuts the lines of a text into units, in order, without gaps. Symbols are those of its outline, if it has one.
func unitsOf(lines []string, symbols []codeintel.Symbol) []unit {
	u := unitizer{lines: lines, starts: make([]int, 0, len(lines))}
	at := 0
	for _, line := range lines {
		u.starts = append(u.starts, at)
		at += len(line)
	}
	u.symbols(symbols)
	u.rest(len(lines) - 1)
	return merged(u.units)
}

// unitizer cuts a text from its beginning on.
type unitizer struct {
	lines  []string // with their ends
	starts []int    // their offsets
	next   int      // the first line that is in no unit yet
	units  []unit
}

// lineOf is the line of an offset.
func (u *unitizer) lineOf(offset int) int {
	low, high := 0, len(u.starts)
	for low < high {
		if mid := (low + high) / 2; u.starts[mid] <= offset {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1
}

// symbols adds a unit for each symbol; what has many lines and others inside gives one for its head, and those of the others.
func (u *unitizer) symbols(all []codeintel.Symbol) {
	for i := range all {
		s := &all[i]
		first, last := u.lineOf(s.Span.Start), u.lineOf(max(s.Span.Start, s.Span.End-1))
		if first < u.next || last < first || last >= len(u.lines) {
			continue // beside others on a line, or not of this text
		}
		first = u.withComment(first)
		u.rest(first - 1)
		if len(s.Children) == 0 || last-first < longUnit {
			u.cut(first, last, namesIn(s))
			continue
		}
		head := u.withComment(max(first, u.lineOf(s.Children[0].Span.Start)))
		u.cut(first, max(first, head-1), []string{s.Name})
		u.symbols(s.Children)
		u.rest(last)
	}
}

// namesIn are the names of a symbol and of what is inside it.
func namesIn(s *codeintel.Symbol) []string {
	names := []string{s.Name}
	for i := range s.Children {
		names = append(names, namesIn(&s.Children[i])...)
	}
	return names
}

// withComment is the first line of the comment and of the decorators right above a line.
func (u *unitizer) withComment(line int) int {
	for line > u.next {
		above := strings.TrimSpace(u.lines[line-1])
		if above == "" || !strings.ContainsAny(above[:1], "/*#@") {
			break
		}
		line--
	}
	return line
}

// rest adds units for the lines up to last that are in none yet.
func (u *unitizer) rest(last int) {
	if u.next <= last {
		u.cut(u.next, last, nil)
	}
}

// cut adds units for lines; those that are too many are cut where a blank line stands before what is indented least.
func (u *unitizer) cut(first, last int, names []string) {
	u.next = last + 1
	most := longUnit
	if names == nil {
		most = fewLines
	}
	if last-first < most {
		u.units = append(u.units, unit{first: first, last: last, names: names})
		return
	}
	places := u.places(first, last)
	if len(places) == 0 {
		for ; first <= last; first += cutUnit {
			u.units = append(u.units, unit{first: first, last: min(first+cutUnit-1, last), names: names})
		}
		return
	}
	for _, place := range append(places, last+1) {
		u.cut(first, place-1, names)
		first = place
	}
}

// places are where lines can be cut: after blank ones, before what is indented least.
func (u *unitizer) places(first, last int) (places []int) {
	least := 1 << 20
	for i := first + 1; i <= last; i++ {
		if !isBlank(u.lines[i-1]) || isBlank(u.lines[i]) {
			continue
		}
		depth := indent(u.lines[i])
		if depth < least {
			least, places = depth, nil
		}
		if depth == least {
			places = append(places, i)
		}
	}
	return places
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// merged puts short units that follow each other together.
func merged(units []unit) (all []unit) {
	for _, u := range units {
		if n := len(all); n > 0 {
			before := &all[n-1]
			if (u.last-u.first < shortUnit || before.last-before.first < shortUnit) && u.last-before.first < fewLines {
				before.last, before.names = u.last, append(before.names[:len(before.names):len(before.names)], u.names...)
				continue
			}
		}
		all = append(all, u)
	}
	return all
}

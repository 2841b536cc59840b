package match

import (
	"slices"
	"strings"

	"forge/patch"
)

// aroundLines is the number of lines that a report shows before and after the closest block.
const aroundLines = 3

func (t *target) noContext(path string, l *ladder) error {
	err := &NoMatchError{Path: path, Hunk: t.number, Search: t.sought(), Cause: CauseNoContext}
	if n := len(t.hunk.Anchors); n > 0 {
		if lines := l.findAnchor(t.hunk.Anchors[n-1]); len(lines) > 0 {
			err.show(l, lines[0], 1)
		}
	}
	return err
}

func (t *target) noHeader(path string, l *ladder, missing string) error {
	err := &NoMatchError{Path: path, Hunk: t.number, Search: t.sought(), Cause: CauseHeader, Want: missing}
	if places := l.find(t.old, t.hunk.EOF); len(places) > 0 {
		err.show(l, places[0].at, len(t.old))
	}
	return err
}

// noMatch reports a hunk whose old lines match nowhere.
func (t *target) noMatch(path string, l *ladder) error {
	err := &NoMatchError{Path: path, Hunk: t.number, Search: t.sought(), Cause: CauseStale, Want: t.old[0]}
	if places := l.find(t.old, false); t.hunk.EOF && len(places) > 0 {
		err.Cause = CauseEndOfFile
		err.show(l, places[0].at, len(t.old))
		return err
	}
	at, ok := l.closest(t.old)
	if ok {
		err.show(l, at, len(t.old))
		err.Line, err.Want = l.firstDifference(at, t.old)
	}
	err.Cause = l.cause(at, ok, t.old)
	err.Located = l.locateByLikeness(t)
	return err
}

// show adds the block of size lines at a place, with the lines around it.
func (e *NoMatchError) show(l *ladder, at, size int) {
	from := max(0, at-aroundLines)
	to := min(len(l.lines), at+size+aroundLines)
	e.Start, e.Closest = from+1, slices.Clone(l.lines[from:to])
}

// closest returns where most lines of a block would be on an equal line; without any, the line most similar to the longest of the block
// decides. It is for reports only: nothing is changed at a place that is only close.
func (l *ladder) closest(old []string) (at int, ok bool) {
	best := 0
	for place, n := range l.votes(old) {
		if n > best || n == best && place < at {
			at, best = place, n
		}
	}
	if best > 0 {
		return max(at, 0), true
	}
	return mostAlike(l.rung(patch.Indentation), normalAll(patch.Indentation, old))
}

// votes returns, for each place that would put a line of a block on an equal line of the text, the bytes of such lines. Places may begin
// before the text.
func (l *ladder) votes(old []string) map[int]int {
	wanted := map[string][]int{}
	for i, line := range normalAll(patch.Indentation, old) {
		if line != "" {
			wanted[line] = append(wanted[line], i)
		}
	}
	votes := map[int]int{}
	for i, row := range l.rung(patch.Indentation) {
		for _, k := range wanted[row] {
			votes[i-k] += len(row)
		}
	}
	return votes
}

// mostAlike returns where the longest line of a block has its most similar line.
func mostAlike(rows, want []string) (at int, ok bool) {
	longest := longestLine(want)
	best := 0.5 // below this share of common characters two lines are unrelated
	for i, row := range rows {
		if score := likeness(row, want[longest]); score > best {
			at, best, ok = max(i-longest, 0), score, true
		}
	}
	return at, ok
}

func longestLine(lines []string) int {
	longest := 0
	for i, line := range lines {
		if len(line) > len(lines[longest]) {
			longest = i
		}
	}
	return longest
}

// likeness is the share of the longer line that common beginning and end make up, from 0 to 1.
func likeness(a, b string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	head := 0
	for head < len(a) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if len(b) == 0 {
		return 0
	}
	return float64(head+tail) / float64(len(b))
}

// firstDifference returns the number of the first line that differs from the block, and the block's line. The number is 0 if the file
// ends before.
func (l *ladder) firstDifference(at int, old []string) (line int, want string) {
	for i, text := range old {
		if at+i >= len(l.lines) {
			return 0, text
		}
		if normal(patch.Unicode, text) != l.rung(patch.Unicode)[at+i] {
			return at + i + 1, text
		}
	}
	return 0, old[0]
}

// cause guesses why the old lines do not match, from the closest block if there is one.
func (l *ladder) cause(at int, near bool, old []string) Cause {
	if slices.ContainsFunc(old, func(s string) bool { return strings.Contains(s, "\r") }) {
		return CauseCRLF
	}
	if slices.ContainsFunc(old, patch.IsElision) {
		return CauseElided
	}
	if !near {
		return CauseStale
	}
	end := min(at+len(old), len(l.lines))
	if slices.Equal(normalAll(patch.Indentation, l.lines[at:end]), normalAll(patch.Indentation, old)) {
		return CauseTabs
	}
	if slices.Equal(withoutSpace(l.lines[at:end]), withoutSpace(old)) {
		return CauseSpaces
	}
	if slices.Equal(letters(l.lines[at:end]), letters(old)) {
		return CauseQuotes
	}
	around := l.rung(patch.Indentation)[max(0, at-len(old)):min(end+len(old), len(l.lines))]
	if contains(withoutBlank(around), withoutBlank(normalAll(patch.Indentation, old))) {
		return CauseBlank
	}
	return CauseStale
}

// contains reports whether part occurs in lines without a gap.
func contains(lines, part []string) bool {
	for i := 0; i+len(part) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// letters removes quotes, punctuation, white space and case from lines.
func letters(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.ToLower(strings.Map(func(r rune) rune {
			if isWord(r) {
				return r
			}
			return -1
		}, line))
	}
	return out
}

// withoutSpace removes white space from lines, at the level Unicode.
func withoutSpace(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.Join(strings.Fields(plain(line)), "")
	}
	return out
}

func withoutBlank(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), patch.IsBlank)
}

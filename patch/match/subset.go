package match

import (
	"slices"
	"strings"

	"forge/patch"
)

// The last rung of the ladder is for hunks whose context differs from the file. Removed lines must match as on the rungs above, but only a
// part of the context: lines may differ, be missing or be inserted, blank lines do not matter, and "..." matches any lines.
//
// Invariant: this rung never chooses the best of several places. All places where the changed lines match and enough of the context agrees
// are counted, and two are too many, unless a header decides.

// Bounds of the search. Beyond them a hunk is too unspecific for its file, and is rejected.
const (
	maxWork       = 3_000_000 // comparisons of a line of context with one of the text
	maxPlacements = 20        // places that fit
	maxGap        = 400       // lines that "..." matches
	maxDrift      = 8         // additional lines between two changes, besides one for each written line
)

// group is a run of changes in a hunk, with the context after it.
type group struct {
	removed []string     // normal forms; empty if the run only adds
	lines   []patch.Line // the run
	context []row        // up to the next run, or the end
}

// row is a context line.
type row struct {
	text  string // normal form
	blank bool
	gap   bool // stands for any lines
}

// contextSearch searches the places of one hunk.
type contextSearch struct {
	rows       []row // of the text
	head       []row // context before the first group
	groups     []group
	work       int
	starts     []int // where the groups of the place being tried begin
	placements []placement
	repeated   bool // the added lines are already at a possible place
}

// placement is a place of a hunk: the lines where its groups begin, and the agreement of the context.
type placement struct {
	starts    []int
	agreement agreement
}

// contextSubset finds the only place of the hunk by a part of its context, and makes the hunk match it byte for byte. With several places
// it returns the first changed line of each.
func (t *target) contextSubset(l *ladder) (lines []int, ok bool) {
	s := newContextSearch(l, t.hunk)
	if s == nil {
		return nil, false
	}
	s.search()
	if s.work > maxWork || len(s.placements) == 0 || s.repeated {
		return nil, false
	}
	starts, ok := s.choose(l, t.hunk)
	if !ok {
		for _, p := range s.placements {
			lines = append(lines, p.starts[0]+1)
		}
		return lines, false
	}
	t.rewrite(l, s.groups, starts)
	return nil, true
}

// choose returns the only place, or the one of several that the header or the line number supports, if the context does not support
// another more.
func (s *contextSearch) choose(l *ladder, h patch.Hunk) (starts []int, ok bool) {
	places := make([]place, len(s.placements))
	for i, p := range s.placements {
		places[i] = place{at: p.starts[0], level: patch.ContextSubset}
	}
	if len(places) == maxPlacements {
		return nil, false // there may be more
	}
	kept, missing := l.narrow(h, s.groups[0].removed, places)
	if missing != "" {
		return nil, false
	}
	if i := near(kept, h.Near-1+len(s.head)); i >= 0 && h.Near > 0 {
		kept = kept[i : i+1]
	}
	if len(kept) == 2 {
		kept = s.besideGap(kept)
	}
	if len(kept) != 1 {
		return nil, false
	}
	chosen := s.placements[slices.Index(places, kept[0])]
	agreesBetter := func(p placement) bool { return p.agreement.better(chosen.agreement) }
	return chosen.starts, !slices.ContainsFunc(s.placements, agreesBetter)
}

// besideGap decides between the two ends of a gap of blank lines, for a hunk that inserts one block there: a block that ends with a blank
// line goes below the gap, one that begins with a blank line above it. Otherwise it is undecided.
func (s *contextSearch) besideGap(places []place) []place {
	above, below := places[0], places[1]
	blank := func(r row) bool { return r.blank }
	if len(s.groups) != 1 || len(s.groups[0].removed) > 0 || slices.ContainsFunc(s.rows[above.at:below.at], func(r row) bool { return !blank(r) }) {
		return places
	}
	lines := s.groups[0].lines
	first, last := patch.IsBlank(lines[0].Text), patch.IsBlank(lines[len(lines)-1].Text)
	switch {
	case last && !first:
		return places[1:]
	case first && !last:
		return places[:1]
	}
	return places
}

func newContextSearch(l *ladder, h patch.Hunk) *contextSearch {
	if h.EOF || len(h.Lines) == 0 {
		return nil
	}
	s := &contextSearch{rows: rowsOf(l.rung(patch.Unicode))}
	for i, line := range h.Lines {
		if line.Kind == patch.Context {
			context := &s.head
			if n := len(s.groups); n > 0 {
				context = &s.groups[n-1].context
			}
			*context = append(*context, newRow(normal(patch.Unicode, line.Text)))
			continue
		}
		if i == 0 || h.Lines[i-1].Kind == patch.Context {
			s.groups = append(s.groups, group{})
		}
		g := &s.groups[len(s.groups)-1]
		g.lines = append(g.lines, line)
		if line.Kind == patch.Remove {
			g.removed = append(g.removed, normal(patch.Unicode, line.Text))
		}
	}
	if len(s.groups) == 0 {
		return nil // the hunk changes nothing: its two sides differ only in line endings
	}
	return s
}

func rowsOf(texts []string) []row {
	rows := make([]row, len(texts))
	for i, text := range texts {
		rows[i] = row{text: text, blank: text == ""}
	}
	return rows
}

func newRow(text string) row {
	return row{text: text, blank: strings.TrimSpace(text) == "", gap: patch.IsElision(text)}
}

// search tries every place of the first group.
func (s *contextSearch) search() {
	first := &s.groups[0]
	for at := 0; at <= len(s.rows) && s.work <= maxWork && len(s.placements) < maxPlacements; at++ {
		if !s.mayBegin(first, s.head, at) {
			continue
		}
		s.starts = append(s.starts[:0], at)
		if head := s.compareHead(at); head.fair(false) {
			s.placeRest(0, head)
		}
	}
}

// compareHead compares the head with the lines above a line.
func (s *contextSearch) compareHead(at int) agreement {
	from := max(0, at-reach(s.head))
	return s.compare(reversed(s.head), reversed(s.rows[from:at]), true)
}

// placeRest tries every place of the groups after a placed one.
func (s *contextSearch) placeRest(i int, sum agreement) {
	g := &s.groups[i]
	end := s.starts[i] + len(g.removed)
	if i == len(s.groups)-1 {
		tail := s.compare(g.context, s.rows[end:min(len(s.rows), end+reach(g.context))], true)
		if sum = sum.plus(tail); tail.fair(false) && sum.enough(s.anchored()) {
			s.placements = append(s.placements, placement{slices.Clone(s.starts), sum})
		}
		return
	}
	next := &s.groups[i+1]
	for at := end; at <= min(len(s.rows), end+reach(g.context)) && s.work <= maxWork && len(s.placements) < maxPlacements; at++ {
		if !s.mayBegin(next, g.context, at) {
			continue
		}
		s.starts = append(s.starts[:i+1], at)
		if between := s.compare(g.context, s.rows[end:at], false); between.fair(true) {
			s.placeRest(i+1, sum.plus(between))
		}
	}
}

// compare compares context with lines of the text, and counts the work.
func (s *contextSearch) compare(context, rows []row, open bool) agreement {
	s.work += 1 + (1+len(context))*len(rows)
	return compareContext(context, rows, open)
}

// reach is the largest number of lines of the text that a context may match.
func reach(context []row) int {
	n := 2*len(context) + maxDrift
	for _, r := range context {
		if r.gap {
			return n + maxGap
		}
	}
	return n
}

// mayBegin reports whether a group may begin at a line: its removed lines are there, or, if it removes nothing, a line of the adjacent
// context is.
func (s *contextSearch) mayBegin(g *group, above []row, at int) bool {
	if len(g.removed) == 0 {
		near := meets(above, s.rows, len(above)-1, at-1, -1) || meets(g.context, s.rows, 0, at, 1)
		s.repeated = s.repeated || near && g.stands(s.rows, at)
		return near
	}
	if at+len(g.removed) > len(s.rows) {
		return false
	}
	for i, text := range g.removed {
		if s.rows[at+i].text != text {
			return false
		}
	}
	return true
}

// stands reports whether the added lines of a group are already at the place.
func (g *group) stands(rows []row, at int) bool {
	n := len(g.lines)
	if !slices.ContainsFunc(g.lines, addsText) {
		return false
	}
	for _, from := range []int{at - n, at} {
		if from < 0 || from+n > len(rows) {
			continue
		}
		same := func(line patch.Line, r row) bool { return normal(patch.Unicode, line.Text) == r.text }
		if slices.EqualFunc(g.lines, rows[from:from+n], same) {
			return true
		}
	}
	return false
}

// meets reports whether context and text have the same line at i and at, or, with blank lines there, at the next non-blank line on both
// sides.
func meets(context, rows []row, i, at, step int) bool {
	for ; i >= 0 && i < len(context) && at >= 0 && at < len(rows); i, at = i+step, at+step {
		switch {
		case context[i].gap, context[i].text != rows[at].text:
			return false
		case !context[i].blank:
			return true
		}
	}
	return false
}

// anchored reports whether the changed lines identify their place: the hunk removes text, and not only brackets.
func (s *contextSearch) anchored() bool {
	return slices.ContainsFunc(s.groups, func(g group) bool { return slices.ContainsFunc(g.removed, hasWord) })
}

func hasWord(text string) bool { return strings.ContainsFunc(text, isWord) }

// rewrite replaces the lines of the hunk by those of the text between its first and its last change. Added lines are unchanged.
func (t *target) rewrite(l *ladder, groups []group, starts []int) {
	var lines []patch.Line
	at := starts[0]
	for i, g := range groups {
		lines = patch.AppendLines(lines, patch.Context, l.lines[at:starts[i]])
		at = starts[i]
		for _, line := range g.lines {
			if line.Kind == patch.Remove {
				line.Text = l.lines[at]
				at++
			}
			lines = append(lines, line)
		}
	}
	t.hunk.Lines, t.old = lines, oldLines(lines)
	t.places = []place{{at: starts[0], level: patch.ContextSubset}}
}

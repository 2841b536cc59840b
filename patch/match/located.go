package match

import (
	"slices"
	"strings"

	"forge/patch"
)

// Located is the probable place of a hunk that matches nowhere, and its effect there. It is a guess by likeness: nothing here applies it,
// and a front must show it to the user first.
type Located struct {
	Line  int        // from 1, of the first line it covers
	Score float64    // likeness of the lines, from 0 to 1
	Edit  patch.Edit // of the current text, in bytes
}

// Bounds of a probable place: the minimum average likeness of its lines, and the minimum lead over the best other place.
const (
	minScore = 0.6
	minLead  = 0.05
	maxRival = 200 // places compared
)

// locateByLikeness compares the old lines with candidate places, and returns the place that is clearly more similar than all places that
// do not overlap it.
func (l *ladder) locateByLikeness(t *target) *Located {
	size := len(t.old)
	want := normalAll(patch.Indentation, t.old)
	best, rival := scored{at: -1}, 0.0
	places := l.candidates(t.old)
	for _, at := range places {
		best = best.max(scored{at: at, score: l.score(at, want)})
	}
	for _, at := range places {
		if at+size <= best.at || at >= best.at+size {
			rival = max(rival, l.score(at, want))
		}
	}
	if best.at < 0 || best.score < minScore || best.score-rival < minLead {
		return nil
	}
	return &Located{Line: best.at + 1, Score: best.score, Edit: l.doc.proposed(t.hunk, best.at, size)}
}

type scored struct {
	at    int
	score float64
}

func (s scored) max(o scored) scored {
	if o.score > s.score {
		return o
	}
	return s
}

// candidates returns the places where a line of the block is equal to a line of the text, or its longest line is similar to one, if the
// whole block is inside the text.
func (l *ladder) candidates(old []string) []int {
	var out []int
	inside := func(at int) bool { return at >= 0 && at+len(old) <= len(l.lines) }
	for at := range l.votes(old) {
		if inside(at) {
			out = append(out, at)
		}
	}
	want := normalAll(patch.Indentation, old)
	longest := longestLine(want)
	for i, row := range l.rung(patch.Indentation) {
		if inside(i-longest) && likeness(row, want[longest]) > minScore {
			out = append(out, i-longest)
		}
	}
	if len(out) > maxRival {
		return nil
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// score returns the average likeness of a block and the lines at a place, without blank lines.
func (l *ladder) score(at int, want []string) float64 {
	sum, n := 0.0, 0
	for i, line := range want {
		row := l.rung(patch.Indentation)[at+i]
		if line == "" && row == "" {
			continue
		}
		n++
		if line == row {
			sum++
			continue
		}
		sum += likeness(row, line)
	}
	return sum / float64(max(n, 1))
}

// proposed returns the edit that replaces size lines at a place by the result of the hunk: context from the text, added lines unchanged. It
// begins a line before the place if the hunk removes the last lines of a text without a final line end, because the line before then has none.
func (d *document) proposed(h patch.Hunk, at, size int) patch.Edit {
	t := &target{hunk: h}
	t.putAt(d, at)
	splices, _ := t.splices(d.lines, newClaims("")) // a single hunk has no overlaps
	before, after := d.bom+d.body, d.outcome([]*target{t}, splices)
	start, end := len(d.bom)+d.offsets()[at], len(d.bom)+d.offsets()[at+size]
	if !strings.HasPrefix(after, before[:start]) {
		start = len(d.bom) + d.offsets()[at-1]
	}
	return patch.Edit{Start: start, End: end, New: after[start : len(after)-(len(before)-end)]}
}

// putAt makes the hunk match the lines at a place byte for byte; added lines are unchanged.
func (t *target) putAt(d *document, at int) {
	t.hunk.Lines = slices.Clone(t.hunk.Lines)
	t.places = []place{{at: at, level: patch.Likeness}}
	for i, line := range t.hunk.Lines {
		if line.Kind != patch.Add {
			t.hunk.Lines[i].Text = d.lines[at]
			at++
		}
	}
	t.old = oldLines(t.hunk.Lines)
}

package match

import (
	"slices"
	"strings"

	"forge/patch"
)

// Located is where a hunk that fits nowhere probably belongs, and what it would do there. It is a guess
// by likeness: nothing here applies it, and a front must show it to somebody before it does.
type Located struct {
	Line  int        // from 1, of the first line it covers
	Score float64    // likeness of the lines, from 0 to 1
	Edit  patch.Edit // of the text as it is, bytes from its begin
}

// Bounds of what is called probable: how like the lines must be on average, and by how much more like
// than at the best other place.
const (
	minScore = 0.6
	minLead  = 0.05
	maxRival = 200 // places compared
)

// locateByLikeness compares the old lines with those at the places where some of them stand, and returns
// the place that is much more like them than all that do not overlap it.
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

// candidates returns places where a block has a line of the text, or where its longest line is like one,
// if the whole block is inside the text.
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

// score is the average likeness of a block and the lines at a place; blank lines do not count.
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

// proposed is the edit that replaces size lines at a place by what the hunk makes of them: context as it
// stands there, added lines as they are. It begins a line before the place if the hunk takes the last lines
// of a text that ends without a line end, since the line before them then ends so.
func (d *document) proposed(h patch.Hunk, at, size int) patch.Edit {
	t := &target{hunk: h}
	t.putAt(d, at)
	splices, _ := t.splices(d.lines, newClaims("")) // a hunk alone overlaps with none
	before, after := d.bom+d.body, d.outcome([]*target{t}, splices)
	start, end := len(d.bom)+d.offsets()[at], len(d.bom)+d.offsets()[at+size]
	if !strings.HasPrefix(after, before[:start]) {
		start = len(d.bom) + d.offsets()[at-1]
	}
	return patch.Edit{Start: start, End: end, New: after[start : len(after)-(len(before)-end)]}
}

// putAt makes the hunk one that fits the lines at a place to the byte; added lines stay as they are.
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

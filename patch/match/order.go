package match

import (
	"math"
	"slices"

	"forge/patch"
)

// orderPlaces breaks ties by the order of the hunks: hunks between two hunks with one place each are between them in the text. It has no
// effect if the hunks with one place are not in order, and it never decides among hunks that all have several places: a patch may list
// its hunks in any order.
func orderPlaces(l *ladder, targets []*target) {
	if !inOrder(targets) {
		return
	}
	for from := 0; from < len(targets); {
		if targets[from].found() {
			from++
			continue
		}
		to := from
		for to < len(targets) && !targets[to].found() {
			to++
		}
		orderBetween(l, targets, from, to)
		from = to
	}
}

func (t *target) found() bool { return len(t.places) == 1 }

// inOrder reports whether the hunks with one place are in the order of the patch.
func inOrder(targets []*target) bool {
	end := 0
	for _, t := range targets {
		if !t.found() {
			continue
		}
		from, to := t.span(t.place())
		if from < end {
			return false
		}
		end = to
	}
	return true
}

// orderBetween restricts the places of targets[from:to] to those between their neighbours. n equal hunks with n places get them in order.
func orderBetween(l *ladder, targets []*target, from, to int) {
	for i := from; i < to; i++ {
		targets[i].narrowTo(neighbours(targets, from, to))
	}
	for i := max(from, 1); i < to; i++ {
		targets[i].goesOn(l, targets[i-1])
	}
	for i := from; i < to; {
		n := 1
		for i+n < to && targets[i].alike(targets[i+n]) {
			n++
		}
		if len(targets[i].places) == n {
			for k, p := range slices.Clone(targets[i].places) {
				targets[i+k].places = []place{p}
			}
		}
		i += n
	}
}

// alike reports whether two hunks have the same old lines and places.
func (t *target) alike(o *target) bool {
	return slices.Equal(t.old, o.old) && slices.Equal(t.places, o.places)
}

// neighbours returns the bounds that the hunks around targets[from:to] set; a side without a neighbour has no bound.
func neighbours(targets []*target, from, to int) (first, end int) {
	first, end = 0, -1
	if from > 0 {
		_, first = targets[from-1].span(targets[from-1].place())
	}
	if to < len(targets) {
		end, _ = targets[to].span(targets[to].place())
	}
	return first, end
}

// narrowTo keeps the places between two lines, if there are any; end -1 is no bound.
func (t *target) narrowTo(first, end int) {
	var kept []place
	for _, p := range t.places {
		if from, to := t.span(p); from >= first && (end < 0 || to <= end) {
			kept = append(kept, p)
		}
	}
	if len(kept) > 0 {
		t.places = kept
	}
}

// span returns the lines a hunk changes at a place, from its first removal or addition to its last.
func (t *target) span(p place) (from, to int) {
	from, at := -1, p.at
	for _, line := range t.hunk.Lines {
		if line.Kind != patch.Context && from < 0 {
			from = at
		}
		if line.Kind != patch.Add {
			at++
		}
		if line.Kind != patch.Context {
			to = at
		}
	}
	return from, to
}

// goesOn breaks the tie of a hunk without a header by the hunk before it, if that has its place: in V4A a hunk continues from there. The
// only place in the same block is chosen, or else the first of two.
func (t *target) goesOn(l *ladder, before *target) {
	if t.found() || !before.found() || !t.bare() || t.hunk.Near > 0 || t.hunk.Literal != nil {
		return
	}
	_, end := before.span(before.place())
	behind := slices.DeleteFunc(slices.Clone(t.places), func(p place) bool { from, _ := t.span(p); return from < end })
	depth := before.depth()
	leaves := func(p place) bool { return !l.staysIn(depth, end, p.at) }
	if same := slices.DeleteFunc(slices.Clone(behind), leaves); len(same) == 1 {
		t.places = same
	} else if first := firstOfTwo(t.hunk, behind); len(first) == 1 {
		t.places = first
	}
}

// bare reports whether a hunk has no header.
func (t *target) bare() bool {
	return !slices.ContainsFunc(t.hunk.Anchors, func(a string) bool { return a != "" })
}

// depth is the least indentation of the lines a hunk changes.
func (t *target) depth() int {
	depth := math.MaxInt
	for _, line := range t.hunk.Lines {
		if line.Kind != patch.Context && !patch.IsBlank(line.Text) {
			depth = min(depth, len(indent(line.Text)))
		}
	}
	return depth
}

// staysIn reports whether no line of a range is indented less than a depth.
func (l *ladder) staysIn(depth, from, to int) bool {
	leaves := func(line string) bool { return !patch.IsBlank(line) && len(indent(line)) < depth }
	return !slices.ContainsFunc(l.lines[from:max(from, to)], leaves)
}

package patch

import "slices"

// orderPlaces breaks ties by the order of the hunks: between two hunks that have one place each, those
// that the patch has between them stand between them in the text. It does nothing if the hunks with one
// place are not in order themselves, and never decides among hunks that all have several: a patch may
// list its hunks in any order, so order alone proves nothing.
func orderPlaces(targets []*target) {
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
		orderBetween(targets, from, to)
		from = to
	}
}

func (t *target) found() bool { return len(t.places) == 1 }

// inOrder reports whether the hunks that have one place stand in the order of the patch.
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

// orderBetween narrows the places of targets[from:to] to those between their neighbours. Of equal hunks
// that have as many places as there are of them, the first has the first place, and so on.
func orderBetween(targets []*target, from, to int) {
	for i := from; i < to; i++ {
		targets[i].narrowTo(neighbours(targets, from, to))
	}
	for i := max(from, 1); i < to; i++ {
		targets[i].firstAfter(targets[i-1])
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

// neighbours returns the lines between the hunks around targets[from:to]; without a neighbour there is
// no bound on that side.
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
		if line.Kind != Context && from < 0 {
			from = at
		}
		if line.Kind != Add {
			at++
		}
		if line.Kind != Context {
			to = at
		}
	}
	return from, to
}

// firstAfter keeps the first of several exact places behind the hunk before, if that has its place and
// this one has neither a header nor a line number: so the V4A notation is read, where the search goes on
// from the hunk before.
func (t *target) firstAfter(before *target) {
	bare := t.hunk.Literal == nil && t.hunk.Near == 0 && !slices.ContainsFunc(t.hunk.Anchors, func(a string) bool { return a != "" })
	if t.found() || !before.found() || !bare || t.place().level > Exact {
		return
	}
	_, first := before.span(before.place())
	i := slices.IndexFunc(t.places, func(p place) bool { from, _ := t.span(p); return from >= first })
	if i >= 0 {
		t.places = []place{t.places[i]}
	}
}

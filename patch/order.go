package patch

// orderPlaces breaks ties by the order of the hunks. It keeps a place only if it is the one its hunk
// has in every way to put all hunks one behind the other: the way that puts each as early as it can be
// and the way that puts each as late agree on it. Hunks that cannot stand in order keep all places.
func orderPlaces(targets []*target) {
	early, ok := inOrder(targets)
	if !ok {
		return
	}
	late, ok := inReverse(targets)
	if !ok {
		return
	}
	for i, t := range targets {
		if early[i] == late[i] {
			t.places = []place{early[i]}
		}
	}
}

func inOrder(targets []*target) ([]place, bool) {
	chosen := make([]place, len(targets))
	after := -1 // end of the lines changed so far
	for i, t := range targets {
		found := false
		for _, p := range t.places {
			from, to := t.span(p)
			if found = from > after || from == after && to > from; found {
				chosen[i], after = p, to
				break
			}
		}
		if !found {
			return nil, false
		}
	}
	return chosen, true
}

func inReverse(targets []*target) ([]place, bool) {
	chosen := make([]place, len(targets))
	before, empty := -1, false // start of the lines changed so far, and whether that is an insertion
	for i := len(targets) - 1; i >= 0; i-- {
		t, found := targets[i], false
		for k := len(t.places) - 1; k >= 0; k-- {
			from, to := t.span(t.places[k])
			if found = before < 0 || to < before || to == before && !empty; found {
				chosen[i], before, empty = t.places[k], from, from == to
				break
			}
		}
		if !found {
			return nil, false
		}
	}
	return chosen, true
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

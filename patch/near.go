package patch

// nearest breaks ties by the lines at which hunks are said to begin. A number counts only where it names
// one of the places to the line, in the text or, if a neighbour says by how much the text has moved
// since, there: numbers are often made up, and the nearest of several wrong ones is still wrong.
func nearest(targets []*target) {
	moved := make([]int, len(targets))
	for i, t := range targets {
		if offset, ok := neighbourOffset(targets, i); ok && !t.found() {
			moved[i] = offset
		}
	}
	for i, t := range targets {
		if t.hunk.Near == 0 || t.found() {
			continue
		}
		for _, offset := range []int{moved[i], 0} {
			if t.pick(t.hunk.Near - 1 + offset) {
				break
			}
		}
	}
}

// pick keeps the place that begins at a line, if one does.
func (t *target) pick(at int) bool {
	for _, p := range t.places {
		if p.at == at {
			t.places = []place{p}
			return true
		}
	}
	return false
}

// neighbourOffset returns how far the nearest hunk that has one place stands from where it is said to.
func neighbourOffset(targets []*target, i int) (offset int, ok bool) {
	for distance := 1; distance < len(targets); distance++ {
		for _, k := range []int{i - distance, i + distance} {
			if k >= 0 && k < len(targets) && targets[k].found() && targets[k].hunk.Near > 0 {
				return targets[k].place().at - (targets[k].hunk.Near - 1), true
			}
		}
	}
	return 0, false
}

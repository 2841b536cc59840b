package match

import (
	"math"
	"slices"
)

// nearest breaks ties by the given lines of hunks. A line counts only if it is one of the places, directly or corrected by the offset of a
// neighbour: numbers are often invented, and the nearest of several wrong places is still wrong.
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
			if k := t.named(t.hunk.Near - 1 + offset); k >= 0 {
				t.places = []place{t.places[k]}
				break
			}
		}
	}
}

// miscount is the accepted error of a line number: models miscount.
const miscount = 3

// named returns the index of the place with a line number: the one that begins there, or the one near it, if the hunk has a line with a
// word. It is -1 if there is none.
func (t *target) named(line int) int {
	i := slices.IndexFunc(t.places, func(p place) bool { return p.at == line })
	if i < 0 && telling(t.hunk) > 0 {
		return near(t.places, line)
	}
	return i
}

// near returns the index of the place near a line, if every other is more than ten times as far; else -1.
func near(places []place, line int) int {
	best, rival := -1, math.MaxInt
	distance := func(i int) int { return max(places[i].at-line, line-places[i].at) }
	for i := range places {
		switch {
		case best < 0:
			best = i
		case distance(i) < distance(best):
			best, rival = i, distance(best)
		default:
			rival = min(rival, distance(i))
		}
	}
	if best < 0 || distance(best) > miscount || rival <= max(miscount, 10*distance(best)) {
		return -1
	}
	return best
}

// neighbourOffset returns the distance of the nearest hunk with one place from its given line.
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

package repomap

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/search"
)

// read takes down the texts and the words of the units of a file.
func (f *source) read() {
	f.texts, f.words, f.in = make([]string, len(f.units)), make([]map[string]bool, len(f.units)), map[string]int{}
	for i, u := range f.units {
		f.texts[i] = strings.Join(f.lines[u.first:u.last+1], "")
		f.words[i] = map[string]bool{}
		for word := range codeintel.Words(f.texts[i]) {
			if !f.words[i][word] {
				f.words[i][word] = true
				f.in[word]++
			}
		}
	}
}

// bestUnits is how many units say by their names which others belong to them.
const bestUnits = 8

// relate adds to the scores of units what they have to do with the best ones: they have their names, as callers and tests do, or stand
// beside them.
func (e *excerpting) relate() {
	names, gain := e.bestNames(), gainCalls
	if !e.request.Tests {
		gain = gainCallers
	}
	for _, f := range e.files {
		if isChangelog(f.path) {
			continue
		}
		before := slices.Clone(f.scores)
		for i := range f.units {
			near := 0.0
			if i > 0 {
				near = before[i-1]
			}
			if i+1 < len(before) {
				near = max(near, before[i+1])
			}
			f.scores[i] += gainNear * near
			if search.IsTest(f.path) == e.request.Tests {
				f.scores[i] += gain * called(f, i, names)
			}
		}
	}
}

// bestNames are the names that the best units of code define, and how likely each is meant, up to 1.
func (e *excerpting) bestNames() map[string]float64 {
	type scored struct {
		names []string
		score float64
	}
	var best []scored
	for _, f := range e.files {
		if search.IsTest(f.path) || isProse(f.path) {
			continue
		}
		for i, u := range f.units {
			best = append(best, scored{u.names, f.prior * f.scores[i]})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	names := map[string]float64{}
	for _, s := range best[:min(len(best), bestUnits)] {
		for _, name := range s.names {
			if len(name) > 3 {
				names[name] = max(names[name], s.score/max(best[0].score, 1e-9))
			}
		}
	}
	return names
}

// called is how much a unit has to do with names: the most likely one that stands in it, and a little of the others.
func called(f *source, i int, names map[string]float64) float64 {
	if len(names) == 0 {
		return 0
	}
	best, sum, seen := 0.0, 0.0, map[string]bool{}
	for name := range codeintel.Identifiers(f.texts[i]) {
		if worth := names[name]; worth > 0 && !seen[name] && !slices.Contains(f.units[i].names, name) {
			seen[name] = true
			best, sum = max(best, worth), sum+worth
		}
	}
	return best + 0.2*math.Min(sum-best, 1)
}

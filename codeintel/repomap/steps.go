package repomap

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

const (
	// outlined is how many files of a map may have symbols: those behind are bare paths.
	outlined = 200
	// looked is how many files are read, to find symbols by the words in their lines.
	looked = 40
)

// A step is worth how likely the file is what the request is about, by its place, times what the step shows.
const (
	decay          = 1.5 // the file in place n is n^-decay as likely as the first
	pathWorth      = .7  // of a path; all names of a file are worth 1 together
	signatureWorth = .5  // of a signature, beside its name
)

// step shows more of a file, after all steps before it.
type step struct {
	worth float64 // per character; never more than that of a step it builds on
	cost  int     // characters it adds at most
	file  int32   // index into the outlined files
	entry int32   // index into its entries; -1 if it has none
	level level
}

// level is how much is shown of an entry.
type level uint8

const (
	hidden level = iota
	opened       // its name, together with the path of the file
	named        // its name
	signed       // its signatures, in place of the name
)

// stepsOf returns the steps of files, best first: all of them if they fit into the room, else at least one more than fit.
func (w symbolQuery) stepsOf(files []int32, room int) []step {
	var steps []step
	for i, number := range files {
		steps = w.appendSteps(steps, int32(i), number)
	}
	least := leastWorth(steps, room)
	steps = slices.DeleteFunc(steps, func(s step) bool { return s.worth < least })
	slices.SortFunc(steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.file, b.file), cmp.Compare(a.level, b.level), cmp.Compare(a.entry, b.entry))
	})
	return steps
}

// leastWorth is a power of two below the worth of the steps that fit into the room, and of one that does not, if there
// is one: sorting the many steps below it would be in vain.
func leastWorth(steps []step, room int) float64 {
	costs := map[int]int{} // by exponent of two
	for _, s := range steps {
		_, exponent := math.Frexp(s.worth)
		costs[exponent] += s.cost
	}
	exponents := slices.Sorted(maps.Keys(costs))
	for _, exponent := range slices.Backward(exponents) {
		if room -= costs[exponent]; room < 0 {
			return math.Ldexp(.5, exponent)
		}
	}
	return 0
}

// appendSteps appends the steps of one file: its path and best name, the other names, the signatures.
func (w symbolQuery) appendSteps(steps []step, file, number int32) []step {
	c := w.mapper.catalog(number)
	likely := math.Pow(float64(file+1), -decay)
	pathCost := utf8.RuneCountInString(c.path) + len("\n")
	if len(c.entries) == 0 {
		return append(steps, step{likely * pathWorth / float64(pathCost), pathCost, file, -1, opened})
	}
	weights := w.weigh(number, c, file < looked)
	best := bestName(c.entries, weights)
	openCost := pathCost + listMargin + c.entries[best].nameCost
	top := likely * (pathWorth + weights[best]) / float64(openCost)
	steps = append(steps, step{top, openCost, file, int32(best), opened})
	for i := range c.entries {
		e := &c.entries[i]
		worth := top
		if i != best {
			worth = min(top, likely*weights[i]/float64(e.nameCost))
			steps = append(steps, step{worth, e.nameCost, file, int32(i), named})
		}
		worth = min(worth, likely*weights[i]*signatureWorth/float64(e.signCost))
		steps = append(steps, step{worth, e.signCost - e.nameCost, file, int32(i), signed})
	}
	return steps
}

// bestName is the entry that is worth most per character.
func bestName(entries []entry, weights []float64) int {
	best := 0
	for i := range entries {
		if weights[i]*float64(entries[best].nameCost) > weights[best]*float64(entries[i].nameCost) {
			best = i
		}
	}
	return best
}

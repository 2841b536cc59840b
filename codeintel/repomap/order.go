package repomap

import (
	"cmp"
	"slices"

	"forge/codeintel/search"
)

const (
	// beforeOpen is how many hits precede the open files, which the user sees anyway.
	beforeOpen = 5
	// sources is how many of the first files others are near to.
	sources = 10
)

// found returns the documents that search found and those that are open, in the order of a map, and marks them.
func (m *Mapper) found(request Request, seen []bool) []int32 {
	var files []int32
	add := func(path string) {
		if file, known := m.numbers[path]; known && !seen[file] {
			seen[file] = true
			files = append(files, file)
		}
	}
	first := min(beforeOpen, len(request.Hits))
	addHits := func(hits []search.Hit) {
		for i := range hits {
			add(hits[i].Path)
		}
	}
	addHits(request.Hits[:first])
	for _, path := range request.Open {
		add(path)
	}
	addHits(request.Hits[first:])
	return files
}

// others returns the documents that are not marked, nearest to the given ones first, equal ones by path.
func (m *Mapper) others(from []int32, seen []bool) []int32 {
	others := make([]int32, 0, len(m.documents))
	for i := range m.documents {
		if !seen[i] {
			others = append(others, int32(i))
		}
	}
	near := m.near(from)
	slices.SortFunc(others, func(a, b int32) int {
		if order := cmp.Compare(near[b], near[a]); order != 0 {
			return order
		}
		return cmp.Compare(a, b)
	})
	return others
}

// near is how close each document is to the given ones: it imports one of the first of these, or is imported by it. Where that is
// the same, and where none is given, what more files import is nearer.
func (m *Mapper) near(from []int32) []float64 {
	g := m.graph()
	near := slices.Clone(g.weights)
	for i, file := range from[:min(len(from), sources)] {
		amount := 1 / float64(i+1)
		for _, other := range slices.Concat(g.links[file], g.users[file]) {
			near[other] += amount
		}
	}
	return near
}

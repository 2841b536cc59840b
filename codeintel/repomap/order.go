package repomap

import (
	"cmp"
	"slices"

	"forge/codeintel/search"
)

const (
	// beforeOpen is how many hits stand before the open files: who works in a file has it before their eyes.
	beforeOpen = 5
	// sources is how many of the first files PageRank starts from.
	sources = 10
	// befriended is of how many of them the friends are looked for, which takes time.
	befriended = 2
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

// near is how close each document is to the first of the given ones, or, if there are none, to all: PageRank over
// imports, from them and from the files that share rare names with those in front.
func (m *Mapper) near(from []int32) []float64 {
	personal := make([]float64, len(m.documents))
	for i, file := range from[:min(len(from), sources)] {
		amount := 1 / float64(i+1)
		personal[file] += amount
		if i < befriended {
			for _, friend := range m.friends(file) {
				personal[friend.file] += amount * friend.share
			}
		}
	}
	return m.graph().PageRank(personal)
}

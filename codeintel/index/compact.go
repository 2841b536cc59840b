package index

import (
	"cmp"
	"slices"
)

// Every edit leaves a small segment behind, and looking for a word takes time for each segment. When there are
// mergeAt segments of about one size, they become one; so there are at most mergeAt of each size, and a document is
// merged a few times only. Large segments are left alone, unless most of their documents do not count any more.
const (
	mergeAt     = 8
	largeSize   = 512 // documents
	sparseAbove = 64  // documents
)

// group is a kind of segments that may be merged.
type group struct {
	firstPart int32
	cover     bool
	size      int // the power of mergeAt, or -1 for segments most of whose documents do not count
}

// compact merges segments if there is reason to, and reports whether it did.
func (c *catalog) compact() bool {
	groups := map[group][]*segment{}
	for s, live := range c.live {
		if g, ok := groupOf(s, live); ok {
			groups[g] = append(groups[g], s)
		}
	}
	some := false
	for g, segments := range groups {
		if g.size >= 0 && len(segments) < mergeAt {
			continue
		}
		some = true
		merging := map[*segment]bool{}
		for _, s := range segments {
			merging[s] = true
		}
		c.merge(g, merging)
	}
	return some
}

func groupOf(s *segment, live int) (group, bool) {
	g := group{s.firstPart, s.cover, -1}
	if len(s.documents) > sparseAbove && 2*live < len(s.documents) {
		return g, true
	}
	for size := mergeAt; size <= largeSize; size *= mergeAt {
		g.size++
		if live < size {
			return g, true
		}
	}
	return g, false
}

// merge puts all documents of some segments that count into one.
func (c *catalog) merge(g group, merging map[*segment]bool) {
	var files []*file
	for _, f := range c.disk {
		files = append(files, f)
	}
	for _, by := range c.covers {
		if by.file != nil {
			files = append(files, by.file)
		}
	}
	at := func(f *file) *place {
		if g.firstPart == PartSymbols {
			return &f.names
		}
		return &f.words
	}
	files = slices.DeleteFunc(files, func(f *file) bool { return !merging[at(f).in] })
	slices.SortFunc(files, func(a, b *file) int { return cmp.Compare(a.Path, b.Path) })
	places := make([]place, len(files))
	for i, f := range files {
		places[i] = *at(f)
	}
	into := merge(places)
	into.cover = g.cover
	for i, f := range files {
		moved := *f
		*at(&moved) = place{into, uint32(i)}
		c.replace(f, &moved)
		c.put(&moved)
	}
	if g.firstPart == PartPath && !g.cover {
		c.store.add(into)
	}
}

package index

import (
	"cmp"
	"context"
	"slices"
)

// Every edit adds a small segment, and looking for a word takes time for each segment. When there are
// mergeAt segments of about one size, their files are read again into one; so there are at most mergeAt of each size, and a file is
// read a few times only. Large segments stay, unless most of their documents are obsolete.
const (
	mergeAt     = 8
	smallSize   = 16 << 10 // bytes of contents
	largeSize   = 1 << 20  // the same
	namesSize   = 2 << 10  // the weight of a document whose names are in a segment
	sparseAbove = 64       // documents
)

// compact merges some segments if there is reason to, and reports whether it did.
func (k *keeper) compact(ctx context.Context) bool {
	merging := k.catalog.mergeable()
	if merging == nil {
		return false
	}
	k.catalog.mergeNames(merging)
	var names []string
	for path, f := range k.catalog.disk {
		if merging[f.words.in] {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	k.reader.merging = merging
	k.readFiles(ctx, names, 1)
	k.reader.merging = nil
	return true
}

// mergeable returns segments to merge, which hold few bytes; nil if there are none. Each text that covers a file may have
// a segment: there are no more of these than texts.
func (c *catalog) mergeable() map[*segment]bool {
	type group struct {
		firstPart int32
		size      int
	}
	groups := map[group][]*segment{}
	for s, live := range c.live {
		if s.cover {
			continue
		}
		if len(s.documents) > sparseAbove && 2*live < len(s.documents) {
			return map[*segment]bool{s: true}
		}
		g := group{s.firstPart, smallSize}
		for size := s.size(); g.size <= size; g.size *= mergeAt {
		}
		if g.size > largeSize {
			continue
		}
		groups[g] = append(groups[g], s)
		if len(groups[g]) == mergeAt {
			merging := map[*segment]bool{}
			for _, s := range groups[g] {
				merging[s] = true
			}
			return merging
		}
	}
	return nil
}

// size is how many bytes of contents a segment counts for.
func (s *segment) size() (size int) {
	if s.firstPart == PartSymbols {
		return namesSize * len(s.documents)
	}
	for _, d := range s.documents {
		size += d.size
	}
	return size
}

// mergeNames makes one segment of the names in some segments.
func (c *catalog) mergeNames(merging map[*segment]bool) {
	var old, files []*file
	add := func(f *file) {
		if f != nil && merging[f.names.in] {
			old = append(old, f)
		}
	}
	for _, f := range c.disk {
		add(f)
	}
	for _, by := range c.covers {
		add(by.file)
	}
	slices.SortFunc(old, func(a, b *file) int { return cmp.Compare(a.Path, b.Path) })
	for _, f := range old {
		moved := *f
		files = append(files, &moved)
	}
	addNames(files)
	for i, f := range old {
		c.move(f, files[i])
	}
	c.urgent = true
}

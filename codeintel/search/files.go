package search

import (
	"forge/codeintel"
	"forge/codeintel/index"
)

// scores gives each document of a view a number, by its place in View.Documents.
type scores []float64

// files is what is derived of a view.
type files struct {
	byPath  map[string]uint32
	kinds   []kind
	sources []bool // whether a document is source; all are if none is
	lengths []lengths
	partAt  []int // where the parts of a document begin among all parts; one more than there are documents

	sourceCount, sourceParts int
}

// lengths are what the counts of a document are divided by: 1 for one of average length, in each field.
type lengths struct{ content, symbols, path float64 }

// newFiles takes what it can from what was derived of an earlier view, which may be nil.
func newFiles(documents []index.Document, earlier *files) *files {
	n := len(documents)
	f := &files{
		byPath: make(map[string]uint32, n), kinds: make([]kind, n), sources: make([]bool, n),
		lengths: make([]lengths, n), partAt: make([]int, n+1),
	}
	for id := range documents {
		d := &documents[id]
		f.byPath[d.Path] = uint32(id)
		f.kinds[id] = earlier.kindOf(d)
		f.partAt[id+1] = f.partAt[id] + partsOf(d)
		f.lengths[id] = lengths{content: float64(d.Words), symbols: symbolLength(d.Outline), path: pathLength(d.Path)}
	}
	f.countSources(documents)
	f.relateLengths()
	return f
}

// kindOf looks the kind of a document up, or finds it out, which takes longer.
func (f *files) kindOf(d *index.Document) kind {
	if f != nil {
		if id, ok := f.byPath[d.Path]; ok {
			return f.kinds[id]
		}
	}
	return kindOf(d.Path, d.Language)
}

func (f *files) parts() int { return f.partAt[len(f.partAt)-1] }

func partsOf(d *index.Document) int {
	return max(1, (d.Lines+index.ChunkLines-1)/index.ChunkLines)
}

// countSources finds out which documents words are counted in: where there is no source at all, everything is.
func (f *files) countSources(documents []index.Document) {
	for _, anything := range []bool{false, true} {
		for id := range documents {
			if f.kinds[id] == kindSource || anything {
				f.sources[id] = true
				f.sourceCount++
				f.sourceParts += partsOf(&documents[id])
			}
		}
		if f.sourceCount > 0 {
			return
		}
	}
}

// relateLengths turns lengths in words to lengths relative to the average source.
func (f *files) relateLengths() {
	var sum lengths
	for id, l := range f.lengths {
		if f.sources[id] {
			sum.content, sum.symbols, sum.path = sum.content+l.content, sum.symbols+l.symbols, sum.path+l.path
		}
	}
	n := float64(f.sourceCount)
	for id, l := range f.lengths {
		f.lengths[id] = lengths{
			content: relative(l.content, sum.content/n, contentSlope),
			symbols: relative(l.symbols, sum.symbols/n, symbolSlope),
			path:    relative(l.path, sum.path/n, pathSlope),
		}
	}
}

// relative is what a count is divided by for the length of what it was counted in; slope says how much it matters.
func relative(length, average, slope float64) float64 {
	if average == 0 {
		return 1
	}
	return 1 - slope + slope*length/average
}

// symbolLength counts the names that a file defines.
func symbolLength(o *codeintel.Outline) float64 {
	if o == nil {
		return 0
	}
	return float64(countSymbols(o.Symbols))
}

func countSymbols(symbols []codeintel.Symbol) int {
	n := len(symbols)
	for i := range symbols {
		n += countSymbols(symbols[i].Children)
	}
	return n
}

// pathLength counts the parts of a path, by its marks.
func pathLength(name string) float64 {
	n := 1
	for i := range len(name) {
		switch name[i] {
		case '/', '.', '_', '-':
			n++
		}
	}
	return float64(n)
}

// top is the highest score of a source, or of anything if no source has one.
func (f *files) top(values scores) float64 {
	source, highest := 0.0, 0.0
	for id, v := range values {
		highest = max(highest, v)
		if f.sources[id] {
			source = max(source, v)
		}
	}
	if source == 0 {
		return highest
	}
	return source
}

// uncrowded puts documents that are no source behind all others, but for the first few.
func (f *files) uncrowded(ids []uint32, few int) []uint32 {
	kept, rest := make([]uint32, 0, len(ids)), []uint32(nil)
	for _, id := range ids {
		switch {
		case f.sources[id]:
			kept = append(kept, id)
		case few > 0:
			few--
			kept = append(kept, id)
		default:
			rest = append(rest, id)
		}
	}
	return append(kept, rest...)
}

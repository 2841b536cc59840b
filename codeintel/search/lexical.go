package search

import (
	"math"

	"forge/codeintel/index"
)

// The weights of BM25F (Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple Weighted Fields, 2004).
const (
	saturation     = 1.5
	lineSaturation = 2.0  // the same within a few lines
	pathFold       = 5.0  // how often a word of the path counts
	symbolFold     = 2.0  // how often the name of a definition counts
	contentSlope   = 0.75 // how much a long text is held against a file, from 0 to 1
	symbolSlope    = 0.75
	pathSlope      = 0.3
)

// lexical is what the words of a request say of each document.
type lexical struct {
	content, lines, symbols, path scores

	best []int32 // the first of the two neighbouring parts that lines speaks of; -1 if there are none
}

func (s *Searcher) lexical(terms []term) lexical {
	n := len(s.documents)
	l := lexical{content: make(scores, n), lines: make(scores, n), symbols: make(scores, n), path: make(scores, n), best: make([]int32, n)}
	windows := make([]float32, s.files.parts())
	for _, t := range terms {
		if postings := s.view.Postings(t.word); len(postings) > 0 {
			s.addTerm(&l, windows, postings, t.weight)
		}
	}
	for id := range n {
		l.best[id] = -1
		for part, value := range windows[s.files.partAt[id]:s.files.partAt[id+1]] {
			if v := float64(value); v > l.lines[id] {
				l.lines[id], l.best[id] = v, int32(part)
			}
		}
	}
	return l
}

// spread counts the documents, parts, paths and symbol lists that contain a word.
type spread struct{ documents, parts, paths, symbols int }

// spread counts in sources alone: a word that all tests have may still distinguish one source from another.
func (s *Searcher) spread(postings []index.Posting) spread {
	var in spread
	last := int64(-1)
	for _, p := range postings {
		if !s.files.sources[p.Document] {
			continue
		}
		if int64(p.Document) != last {
			last = int64(p.Document)
			in.documents++
		}
		switch p.Part {
		case index.PartPath:
			in.paths++
		case index.PartSymbols:
			in.symbols++
		default:
			in.parts++
		}
	}
	return in
}

// rarity is the weight of a word that is in some of all places: its inverse document frequency.
func rarity(all, some int) float64 {
	return math.Log(1 + (max(0, float64(all-some))+0.5)/(float64(some)+0.5))
}

// saturated grows with a count ever more slowly, from 1 at 1 to at most k+1.
func saturated(count, k float64) float64 { return count * (k + 1) / (count + k) }

func (s *Searcher) addTerm(l *lexical, windows []float32, postings []index.Posting, weight float64) {
	in, n := s.spread(postings), s.files.sourceCount
	whole, lines := weight*rarity(n, in.documents), weight*rarity(s.files.sourceParts, in.parts)
	path, symbols := weight*rarity(n, in.paths), weight*rarity(n, in.symbols)
	for len(postings) > 0 {
		id, of := postings[0].Document, ofOneDocument(postings)
		c, f := countParts(postings[:of]), &s.files.lengths[id]
		folded := float64(c.content) + pathFold*float64(c.path) + symbolFold*float64(c.symbols)
		l.content[id] += whole * saturated(folded/f.content, saturation)
		l.path[id] += path * saturated(float64(c.path)/f.path, saturation)
		l.symbols[id] += symbols * saturated(float64(c.symbols)/f.symbols, saturation)
		addWindows(windows[s.files.partAt[id]:s.files.partAt[id+1]], postings[:of], lines)
		postings = postings[of:]
	}
}

// ofOneDocument counts the postings from the first that belong to the same document.
func ofOneDocument(postings []index.Posting) int {
	n := 1
	for n < len(postings) && postings[n].Document == postings[0].Document {
		n++
	}
	return n
}

type partCounts struct{ path, symbols, content uint32 }

func countParts(postings []index.Posting) partCounts {
	var c partCounts
	for _, p := range postings {
		switch p.Part {
		case index.PartPath:
			c.path += p.Count
		case index.PartSymbols:
			c.symbols += p.Count
		default:
			c.content += p.Count
		}
	}
	return c
}

// addWindows adds a word to each pair of neighbouring parts of one document that has it: windows[i] stands for the
// parts i and i+1.
func addWindows(windows []float32, postings []index.Posting, weight float64) {
	previous := int32(-2)
	for i, p := range postings {
		if p.Part < 0 || int(p.Part) >= len(windows) {
			continue
		}
		count := float64(p.Count)
		if p.Part > 0 && previous != p.Part-1 {
			windows[p.Part-1] += float32(weight * saturated(count, lineSaturation))
		}
		if i+1 < len(postings) && postings[i+1].Part == p.Part+1 {
			count += float64(postings[i+1].Count)
		}
		windows[p.Part] += float32(weight * saturated(count, lineSaturation))
		previous = p.Part
	}
}

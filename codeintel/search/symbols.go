package search

import (
	"cmp"
	"maps"
	"slices"

	"forge/codeintel"
)

const (
	mostSymbols  = 50  // definitions that Symbols returns at most
	exactSymbol  = 4.0 // what the name of a definition counts that is in the request
	insideSymbol = 0.9 // what a definition counts for each level it is inside of others
)

// Symbols returns the definitions that a query is about, the best first: those it names, anywhere, and
// those of the files that Files found whose names share words with it, at most 50.
func (s *Searcher) Symbols(q Query, hits []Hit) []SymbolHit {
	r := parseRequest(q.Text)
	share := map[uint32]float64{}
	for _, hit := range hits {
		if id, ok := s.files.byPath[hit.Path]; ok && hits[0].Score > 0 {
			share[id] = hit.Score / hits[0].Score
		}
	}
	m := symbolMatcher{exact: map[string]float64{}, words: s.symbolWords(r.terms)}
	var ids []uint32
	for _, name := range r.identifiers {
		definers := s.definers(name)
		if len(definers) > 0 {
			m.exact[name] = exactSymbol * nameWorth(name) * rarity(len(s.documents), len(definers))
			ids = append(ids, definers...)
		}
	}
	ids = slices.AppendSeq(ids, maps.Keys(share))
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if o := s.documents[id].Outline; o != nil {
			m.path, m.share = s.documents[id].Path, share[id]
			m.add(o.Symbols, 1)
		}
	}
	slices.SortStableFunc(m.hits, func(a, b SymbolHit) int { return cmp.Compare(b.Score, a.Score) })
	return m.hits[:min(len(m.hits), mostSymbols)]
}

// symbolWords weighs the words of a request as names of definitions.
func (s *Searcher) symbolWords(terms []term) map[string]float64 {
	words := map[string]float64{}
	for _, t := range terms {
		if postings := s.view.Postings(t.word); len(postings) > 0 {
			words[t.word] = t.weight * rarity(s.files.sourceCount, s.spread(postings).symbols)
		}
	}
	return words
}

// symbolMatcher collects the definitions of one file after the other.
type symbolMatcher struct {
	exact map[string]float64 // by name
	words map[string]float64
	hits  []SymbolHit
	path  string
	share float64 // of the score of the best file; 0 for a file that was not found
}

func (m *symbolMatcher) add(symbols []codeintel.Symbol, worth float64) {
	for i := range symbols {
		symbol := &symbols[i]
		score := m.exact[symbol.Name] * (1 + m.share)
		if m.share > 0 {
			score += m.share * m.overlap(symbol)
		}
		if score > 0 {
			m.hits = append(m.hits, SymbolHit{Path: m.path, Symbol: *symbol, Score: score * worth})
		}
		m.add(symbol.Children, worth*insideSymbol)
	}
}

// overlap weighs the words that the name of a definition shares with the request, a long name counting less.
func (m *symbolMatcher) overlap(symbol *codeintel.Symbol) float64 {
	words := codeintel.WordsOf(symbol.Name)
	shared := 0.0
	for i, word := range words {
		if weight := m.words[word]; weight > 0 && !slices.Contains(words[:i], word) {
			shared += weight
		}
	}
	return shared * 2 / float64(1+len(words))
}

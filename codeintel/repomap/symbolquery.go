package repomap

import (
	"math"
	"slices"
	"sort"
	"strings"

	"forge/codeintel"
	"forge/codeintel/index"
)

// The gain of a symbol over its kind's weight if it fits all words of a request.
const (
	nameGain  = 30.0 // its name has them
	linesGain = 30.0 // its lines have them, and no others of the file do
	foundGain = 30.0 // search found it before all others
)

// symbolQuery is the part of a request that concerns symbols.
type symbolQuery struct {
	mapper *Mapper
	terms  []term
	found  map[string]map[string]float64 // of symbols that search found, by path and name: 1 for the first, less below
}

// term is a word of a request that is in some file.
type term struct {
	word     string
	begin    string  // of the word: what names that have it hold, whatever ending was cut off
	weight   float64 // more for rare ones; those of a query add up to 1
	postings []index.Posting
}

func (m *Mapper) symbolQuery(request Request) symbolQuery {
	w := symbolQuery{mapper: m, terms: m.terms(request.Text), found: map[string]map[string]float64{}}
	for i := range request.Symbols {
		path, name := request.Symbols[i].Path, oneLine(request.Symbols[i].Symbol.Name)
		if w.found[path] == nil {
			w.found[path] = map[string]float64{}
		}
		w.found[path][name] = max(w.found[path][name], 1/float64(i+1))
	}
	return w
}

// sureBytes of a word are in every name that has it, underscores aside: no stem is cut down to less.
const sureBytes = 4

func (m *Mapper) terms(text string) []term {
	var terms []term
	seen, sum := map[string]bool{}, 0.0
	for word := range codeintel.Words(text) {
		if seen[word] {
			continue
		}
		seen[word] = true
		if postings := m.view.Postings(word); len(postings) > 0 {
			weight := math.Log(1 + float64(len(m.documents))/float64(len(postings)))
			terms = append(terms, term{word, word[:min(len(word), sureBytes)], weight, postings})
			sum += weight
		}
	}
	for i := range terms {
		terms[i].weight /= sum
	}
	return terms
}

// weigh returns the weight of each entry of a file for the request; the weights add up to 1.
func (w symbolQuery) weigh(number int32, c *catalog, read bool) []float64 {
	weights := make([]float64, len(c.entries))
	names := w.namedIn(number)
	lines := w.linesOf(number, read)
	found, sum := w.found[w.mapper.documents[number].Path], 0.0
	for i := range c.entries {
		e := &c.entries[i]
		gain := 1 + nameGain*share(names, e) + linesGain*lines.of(e.spans)
		weights[i] = e.weight*gain + foundGain*found[e.name]
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// namedIn returns the terms that are in names of a document's symbols.
func (w symbolQuery) namedIn(number int32) []*term {
	var named []*term
	for i := range w.terms {
		postings := within(w.terms[i].postings, number)
		if slices.ContainsFunc(postings, func(p index.Posting) bool { return p.Part == index.PartSymbols }) {
			named = append(named, &w.terms[i])
		}
	}
	return named
}

// share is how much of a request the words of a name are.
func share(terms []*term, e *entry) float64 {
	sum := 0.0
	var words []string // of the name; they are found out if one of the terms may be among them
	for _, t := range terms {
		if !strings.Contains(e.lower, t.begin) {
			continue
		}
		if words == nil {
			words = codeintel.WordsOf(e.name)
		}
		if slices.Contains(words, t.word) {
			sum += t.weight
		}
	}
	return sum
}

// within returns the postings in one document.
func within(postings []index.Posting, number int32) []index.Posting {
	from := sort.Search(len(postings), func(i int) bool { return postings[i].Document >= uint32(number) })
	to := from
	for to < len(postings) && postings[to].Document == uint32(number) {
		to++
	}
	return postings[from:to]
}

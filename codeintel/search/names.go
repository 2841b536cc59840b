package search

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"forge/codeintel"
	"forge/codeintel/index"
)

// Names returns the definitions whose names are like a text that a person types, best first and at most limit: the very
// name, one that begins so, one that has it inside, one whose parts begin so ("qr" and "quartrep" for QuarterlyReport),
// or one that has its letters in order. What stands before a ".", "::", "#" or "/" must be in the name of what the
// definition belongs to, or in the path. Case and blanks do not matter. An empty text is like nothing. The error is ctx's.
func Names(ctx context.Context, documents []index.Document, text string, limit int) ([]SymbolHit, error) {
	wanted := readName(text)
	if wanted.name == "" || limit <= 0 {
		return nil, ctx.Err()
	}
	// A large folder has hundreds of thousands of names, and all are looked at.
	parts := make([]nameSearch, min(runtime.GOMAXPROCS(0), 1+len(documents)/256))
	var all sync.WaitGroup
	for i := range parts {
		w := &parts[i]
		w.wanted, w.limit = wanted, limit
		all.Go(func() { w.lookAll(ctx, documents[i*len(documents)/len(parts):(i+1)*len(documents)/len(parts)]) })
	}
	all.Wait()
	whole := nameSearch{limit: limit}
	for i := range parts {
		whole.found = append(whole.found, parts[i].found...)
	}
	whole.cut()
	return whole.found, ctx.Err()
}

func (w *nameSearch) lookAll(ctx context.Context, documents []index.Document) {
	for i := range documents {
		if ctx.Err() != nil {
			return
		}
		if outline := documents[i].Outline; outline != nil {
			w.path = documents[i].Path
			w.look(outline.Symbols, nil)
		}
	}
}

// nameSearch is one search for a name, in a part of the documents.
type nameSearch struct {
	wanted wantedName
	limit  int
	path   string // of the document that is looked at
	found  []SymbolHit
	least  float64 // what a hit must have to be among the best, once there are enough
}

// owner is what a symbol belongs to.
type owner struct {
	name  string
	above *owner
}

func (w *nameSearch) look(symbols []codeintel.Symbol, of *owner) {
	for i := range symbols {
		s := &symbols[i]
		if likeness := w.wanted.like(s.Name); likeness > 0 && w.belongs(s, of) {
			w.add(s, likeness-lessOf[s.Kind])
		}
		if len(s.Children) > 0 {
			w.look(s.Children, &owner{s.Name, of})
		}
	}
}

// lessOf puts what is looked for less often behind its equals.
var lessOf = map[codeintel.Kind]float64{
	codeintel.Field: .03, codeintel.Key: .03, codeintel.Variable: .02, codeintel.Constant: .02, codeintel.Member: .02, codeintel.Heading: .02,
}

// belongs tells whether all that the text says of the owners of a symbol is true.
func (w *nameSearch) belongs(s *codeintel.Symbol, of *owner) bool {
	for _, part := range w.wanted.owners {
		known := holds(s.Receiver, part) || holds(w.path, part)
		for o := of; o != nil && !known; o = o.above {
			known = holds(o.name, part)
		}
		if !known {
			return false
		}
	}
	return true
}

func holds(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }

func (w *nameSearch) add(s *codeintel.Symbol, score float64) {
	if score <= w.least {
		return
	}
	w.found = append(w.found, SymbolHit{Path: w.path, Symbol: *s, Score: score})
	if len(w.found) >= 4*w.limit {
		w.cut()
		w.least = w.found[len(w.found)-1].Score
	}
}

// cut keeps the best. Documents come by path and symbols in order of the source, which the order of equals keeps.
func (w *nameSearch) cut() {
	slices.SortStableFunc(w.found, func(a, b SymbolHit) int { return cmp.Compare(b.Score, a.Score) })
	w.found = w.found[:min(len(w.found), w.limit)]
}

package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"forge/codeintel"
)

// nameSearch is one search for a name, in some of the pages.
type nameSearch struct {
	wanted  wantedName
	letters letters // of the wanted name
	limit   int
	path    string      // of the document that is searched
	alike   []alikeName // room for look
	found   []SymbolHit
	least   float64 // what a hit must have to be among the best, once there are enough
}

func (w *nameSearch) lookAll(ctx context.Context, pages []*namePage) {
	for _, page := range pages {
		if ctx.Err() != nil {
			return
		}
		w.look(page)
	}
}

// look goes through the names of a page. The outlines are read only where that can matter.
func (w *nameSearch) look(p *namePage) {
	for d, outline := range p.outlines {
		from, to := int(start(p.namesEnd, d)), int(p.namesEnd[d])
		alike := w.alike[:0]
		for i := from; i < to; i++ {
			if !p.letters[i].has(w.letters) {
				continue
			}
			// One that is no better than the least is not alike at all, or too little.
			if likeness := w.wanted.like(p.text[start(p.ends, i):p.ends[i]]); likeness > w.least {
				alike = append(alike, alikeName{i - from, likeness})
			}
		}
		w.alike = alike
		if len(alike) > 0 {
			w.path = p.paths[d]
			w.judge(outline.Symbols, nil, 0, &alike)
		}
	}
}

// start returns where the part with index i of something begins whose parts have these ends.
func start(ends []uint32, i int) uint32 {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

// alikeName is a name of an outline: its number, in the order of newNamePage, and how much it is like what is wanted.
type alikeName struct {
	number   int
	likeness float64
}

// owner is what a symbol belongs to.
type owner struct {
	name  string
	above *owner
}

// judge adds the symbols whose names are alike, if they belong where the text says. number is that of the first symbol;
// the one behind the last is returned.
func (w *nameSearch) judge(symbols []codeintel.Symbol, of *owner, number int, alike *[]alikeName) int {
	for i := range symbols {
		if len(*alike) == 0 {
			return number
		}
		s := &symbols[i]
		if first := (*alike)[0]; first.number == number {
			*alike = (*alike)[1:]
			if w.belongs(s, of) {
				w.add(s, first.likeness-lessOf[s.Kind])
			}
		}
		number++
		if len(s.Children) > 0 {
			number = w.judge(s.Children, &owner{s.Name, of}, number, alike)
		}
	}
	return number
}

// lessOf puts what is looked for less often behind its equals.
var lessOf = map[codeintel.Kind]float64{
	codeintel.Field: .03, codeintel.Key: .03, codeintel.Variable: .02, codeintel.Constant: .02, codeintel.Member: .02, codeintel.Heading: .02,
}

// belongs reports whether all that the text says of the owners of a symbol is true.
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

package search

import (
	"context"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"

	"forge/codeintel"
	"forge/codeintel/index"
)

// NameTable finds definitions by their names. A large folder has hundreds of thousands of them, all of which are looked
// at for each text: so the data that rules most of them out is close together, and only matches need their outlines. It
// never changes and may be used by several goroutines.
type NameTable struct {
	pages []*namePage
}

// namePage are the names of neighbouring documents. The next table takes it over if none of them has changed: documents
// are cut into pages where their paths say so, and not by their number, so that a new one does not move all others.
type namePage struct {
	outlines []*codeintel.Outline // of each document; nil if it has none
	paths    []string

	letters  []letters // of each name, the documents one after the other, each in order of its source
	ends     []uint32  // where each name ends in text
	text     string    // all names, one after the other
	namesEnd []uint32  // by document: where its names end
}

// pageMask makes pages of 64 documents, on average.
const pageMask = 64 - 1

// NewNameTable makes the table of the documents of a view, which must be in order of their paths. It takes what it can
// from an earlier table, which may be nil.
func NewNameTable(documents []index.Document, earlier *NameTable) *NameTable {
	known := map[string]*namePage{}
	if earlier != nil {
		for _, p := range earlier.pages {
			known[p.paths[0]] = p
		}
	}
	t := &NameTable{}
	for from := 0; from < len(documents); {
		to := from + 1
		for to < len(documents) && !beginsPage(documents[to].Path) {
			to++
		}
		page := known[documents[from].Path]
		if page == nil || !page.isOf(documents[from:to]) {
			page = newNamePage(documents[from:to])
		}
		t.pages = append(t.pages, page)
		from = to
	}
	return t
}

func beginsPage(path string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path)) // it never fails
	return h.Sum32()&pageMask == 0
}

func (p *namePage) isOf(documents []index.Document) bool {
	if len(p.paths) != len(documents) {
		return false
	}
	for i := range documents {
		if p.outlines[i] != documents[i].Outline || p.paths[i] != documents[i].Path {
			return false
		}
	}
	return true
}

func newNamePage(documents []index.Document) *namePage {
	p := &namePage{}
	var text []byte
	for i := range documents {
		outline := documents[i].Outline
		p.outlines, p.paths = append(p.outlines, outline), append(p.paths, documents[i].Path)
		if outline != nil {
			text = p.addNames(text, outline.Symbols)
		}
		p.namesEnd = append(p.namesEnd, uint32(len(p.ends)))
	}
	p.letters, p.ends, p.text = slices.Clip(p.letters), slices.Clip(p.ends), string(text)
	return p
}

// addNames appends the names of symbols, each with what is inside it behind it: nameSearch.judge counts on that.
func (p *namePage) addNames(text []byte, symbols []codeintel.Symbol) []byte {
	for i := range symbols {
		text = append(text, symbols[i].Name...)
		p.letters = append(p.letters, lettersOf(symbols[i].Name))
		p.ends = append(p.ends, uint32(len(text)))
		text = p.addNames(text, symbols[i].Children)
	}
	return text
}

// Names returns the definitions whose names are like a text that the user types, best first and at most limit: the very
// name, one that begins so, one that has it inside, one whose parts begin so ("qr" and "quartrep" for QuarterlyReport),
// or one that has its letters in order. What stands before a ".", "::", "#" or "/" must be in the name of what the
// definition belongs to, or in the path. Case and blanks do not matter. An empty text is like nothing. The error is ctx's.
func (t *NameTable) Names(ctx context.Context, text string, limit int) ([]SymbolHit, error) {
	wanted := readName(text)
	if wanted.name == "" || limit <= 0 {
		return nil, ctx.Err()
	}
	parts := make([]nameSearch, min(runtime.GOMAXPROCS(0), 1+len(t.pages)/8))
	var all sync.WaitGroup
	for i := range parts {
		w := &parts[i]
		w.wanted, w.letters, w.limit = wanted, lettersOf(wanted.name), limit
		all.Go(func() { w.lookAll(ctx, t.pages[i*len(t.pages)/len(parts):(i+1)*len(t.pages)/len(parts)]) })
	}
	all.Wait()
	whole := nameSearch{limit: limit}
	for i := range parts {
		whole.found = append(whole.found, parts[i].found...)
	}
	whole.cut()
	return whole.found, ctx.Err()
}

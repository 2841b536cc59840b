// Package repomap fits what a model should know of a folder into a budget of tokens: a map of files with the
// signatures of their symbols, and tiers of whole files, signatures and map.
//
//	what search found ──► order of files ──► steps: a path, a name, a signature ──► as many as fit ──► text
//	                        ▲                  ▲
//	        imports to and from there          └─ words of the request, in names and lines
//
// The steps of a request are put into one order that does not depend on the budget, the most informative per
// character first, and a map is the longest run from its start that fits.
//
// Invariants: a map and a pack are never above their budget; a greater budget never shows less in a map; the same
// request of the same view gives the same text.
//
// Nothing here searches, opens a file but through the view, or knows a model.
package repomap

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"forge/codeintel/index"
	"forge/codeintel/search"
)

// Mapper makes maps and packs of one view. It may be used by several goroutines.
type Mapper struct {
	view      index.View
	imports   Imports // nil if it is not known
	documents []index.Document
	numbers   map[string]int32 // index into documents, by path

	catalogs []atomic.Pointer[catalog] // of each document, from the first question on

	graph func() *graph // made once
}

// NewMapper returns a mapper of a view and of the imports among its files, which may be nil. It costs next to
// nothing: what does not depend on a request is found out when it is first needed, and kept.
func NewMapper(view index.View, imports Imports) *Mapper {
	documents := view.Documents()
	m := &Mapper{
		view: view, imports: imports, documents: documents,
		numbers:  make(map[string]int32, len(documents)),
		catalogs: make([]atomic.Pointer[catalog], len(documents)),
	}
	for i := range documents {
		m.numbers[documents[i].Path] = int32(i)
	}
	m.graph = sync.OnceValue(m.importGraph)
	return m
}

// catalog returns the symbols of a document.
func (m *Mapper) catalog(number int32) *catalog {
	if known := m.catalogs[number].Load(); known != nil {
		return known
	}
	made := newCatalog(&m.documents[number])
	m.catalogs[number].Store(made) // two that make it at once make the same
	return made
}

// maxRead bounds the files that are read to look into them, in bytes.
const maxRead = 1 << 20

// read returns the text of a document. There is none if it is large, or has changed since: maps do without.
func (m *Mapper) read(number int32) []byte {
	document := &m.documents[number]
	if document.Size > maxRead {
		return nil
	}
	text, err := m.view.ReadFile(document.Path)
	if err != nil {
		return nil
	}
	return text
}

// graph says who imports whom, by the numbers of documents.
type graph struct {
	links, users [][]int32
	weights      []float64 // how many import each, together less than one link of the last of sources
}

func (m *Mapper) importGraph() *graph {
	n := len(m.documents)
	g := &graph{links: make([][]int32, n), users: make([][]int32, n), weights: make([]float64, n)}
	if m.imports == nil {
		return g
	}
	for i := range m.documents {
		for _, path := range m.imports.Direct(m.documents[i].Path) {
			if to, known := m.numbers[path]; known {
				g.links[i] = append(g.links[i], to)
				g.users[to] = append(g.users[to], int32(i))
				g.weights[to] += 1 / float64(sources*(n+1))
			}
		}
	}
	return g
}

// charactersPerToken is what one token is taken for.
const charactersPerToken = 4

// Tokens estimates the tokens of a text: characters divided by four, rounded up.
func Tokens(text string) int {
	return (utf8.RuneCountInString(text) + charactersPerToken - 1) / charactersPerToken
}

// Imports says which file imports which; an *imports.Graph does.
type Imports interface {
	// Direct returns the files that a file imports, sorted.
	Direct(path string) []string
}

// Request is what a map or a pack is made for. All of it may be empty.
type Request struct {
	Text    string             // in plain words: what it is about
	Hits    []search.Hit       // the files that search found, best first: two hundred make a better map than twenty
	Symbols []search.SymbolHit // the definitions that search found, best first
	Open    []string           // the files the user has open, the one in front first
	Budget  int                // tokens at most; there is nothing for 0 and less

	// Targets are for packs alone: the files to change, the most important first; without any, what is open in front and found first.
	Targets []string

	// This is for excerpts alone.
	Own     []string // the files that a plan lets the request change or create: they are preferred, and for a missing one the file most like it
	Tests   bool     // they are for the author of tests: tests come before code
	Uses    string   // code that uses what is to be changed: the tests that were written for it
	Changed []string // files that are shown as what has changed in them: tests among them are no excerpts
	// Partners are the files that were changed together with one, the most frequent first. Nil knows none.
	Partners func(path string) []search.Partner
}

// Map is a text that shows files with their symbols below them: their path on a line of its own, then a line for each
// signature, then a line with the names of other symbols. Files without symbols, and those that are far from the
// request, are bare paths.
type Map struct {
	Text   string
	Tokens int
	Files  []string // those shown with symbols, in the order of the text
	Paths  []string // those shown as bare paths, in the order of the text
}

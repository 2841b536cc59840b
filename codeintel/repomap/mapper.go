package repomap

import (
	"sync"
	"sync/atomic"

	"forge/codeintel/index"
)

// Mapper makes maps and packs of one view. It may be used by several goroutines.
type Mapper struct {
	view      index.View
	imports   Imports // nil if it is not known
	documents []index.Document
	numbers   map[string]int32 // index into documents, by path

	catalogs []atomic.Pointer[catalog] // of each document, once somebody asked

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

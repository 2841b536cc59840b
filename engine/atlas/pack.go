package atlas

import (
	"context"
	"fmt"
	"strings"

	"forge/codeintel"
	"forge/codeintel/index"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
)

// PackRequest asks for what a model should see of a state of the folder that is not quite the one that is indexed.
type PackRequest struct {
	Query   search.Query
	Targets []string // files that are surely to be seen; what search finds comes after them
	Budget  int      // tokens
	// Read gives a file of that state; the error is for one that is not there. Nil is the folder as it is indexed.
	Read func(path string) ([]byte, error)
	// Changed are files whose symbols are others there, or that are there only.
	Changed []string
	Tests   bool   // it is for writing tests
	Uses    string // code that uses what is to be changed; may be empty
}

// Pack is Context of another state of the folder. What is not there is not in the pack, but for bare paths in its map.
func (a *Atlas) Pack(ctx context.Context, r PackRequest) (repomap.Pack, error) {
	p, err := a.partsFor(ctx)
	if err != nil {
		return repomap.Pack{}, err
	}
	mapper := p.mapper()
	if r.Read != nil {
		over, err := a.over(ctx, p.view, r)
		if err != nil {
			return repomap.Pack{}, err
		}
		mapper = repomap.NewMapper(over, p.imports())
	}
	request := p.request(r.Query, r.Budget)
	request.Targets, request.Changed, request.Tests, request.Uses = r.Targets, r.Changed, r.Tests, r.Uses
	request.Partners = p.searcher.Partners
	return mapper.Excerpts(request), nil
}

// imports are those of the graph; none as long as there is no graph.
func (p *parts) imports() repomap.Imports {
	if p.graph == nil {
		return nil
	}
	return p.graph
}

// overlay is a view of which some files are others. Those that the view does not have come last: the numbers of the others, by
// which it is searched, stay.
type overlay struct {
	index.View
	documents []index.Document
	read      func(path string) ([]byte, error)
}

func (o overlay) Documents() []index.Document { return o.documents }

func (o overlay) ReadFile(path string) ([]byte, error) { return o.read(path) }

// over lays a state over a view.
func (a *Atlas) over(ctx context.Context, view index.View, r PackRequest) (index.View, error) {
	o := overlay{View: view, documents: append([]index.Document(nil), view.Documents()...), read: r.Read}
	numbers := make(map[string]int, len(o.documents))
	for i := range o.documents {
		numbers[o.documents[i].Path] = i
	}
	for _, path := range r.Changed {
		text, err := r.Read(path)
		if err != nil {
			continue // it is not there, and so nothing will show it
		}
		language := codeintel.LanguageOf(path)
		outline, err := a.Outline(ctx, language, string(text))
		if err != nil {
			return nil, fmt.Errorf("read the symbols of %s: %w", path, err)
		}
		document := index.Document{Path: path, Language: language, Size: len(text), Lines: strings.Count(string(text), "\n") + 1, Outline: &outline}
		if number, known := numbers[path]; known {
			o.documents[number] = document
			continue
		}
		numbers[path] = len(o.documents)
		o.documents = append(o.documents, document)
	}
	return o, nil
}

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

// ExcerptsRequest asks for what a model should see of a state of the folder that differs from the indexed one.
type ExcerptsRequest struct {
	Query   search.Query
	Targets []string // files that must be in it; search results follow them
	Own     []string // files that a plan lets the request change or create: they are preferred
	Budget  int      // tokens
	// Read returns a file of that state, or an error if it is missing. Nil reads the folder as it is indexed.
	Read func(path string) ([]byte, error)
	// Changed are files whose symbols differ in that state, or that exist only there.
	Changed []string
	Tests   bool   // it is for writing tests
	Uses    string // code that uses the code to change; may be empty
}

// Excerpts is Context for another state of the folder. Files missing from that state are not in the pack, except as bare paths in its
// map.
func (a *Atlas) Excerpts(ctx context.Context, r ExcerptsRequest) (repomap.Pack, error) {
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
	request.Targets, request.Own, request.Changed, request.Tests, request.Uses = r.Targets, r.Own, r.Changed, r.Tests, r.Uses
	request.Partners = p.searcher.Partners
	return mapper.Excerpts(request), nil
}

// imports returns those of the graph, or none before the first graph.
func (p *parts) imports() repomap.Imports {
	if p.graph == nil {
		return nil
	}
	return p.graph
}

// overlay is a view in which some files are replaced. New files come last, so that the numbers of the others, by which it is
// searched, stay the same.
type overlay struct {
	index.View
	documents []index.Document
	read      func(path string) ([]byte, error)
}

func (o overlay) Documents() []index.Document { return o.documents }

func (o overlay) ReadFile(path string) ([]byte, error) { return o.read(path) }

// over returns a view with the files of another state.
func (a *Atlas) over(ctx context.Context, view index.View, r ExcerptsRequest) (index.View, error) {
	o := overlay{View: view, documents: append([]index.Document(nil), view.Documents()...), read: r.Read}
	numbers := make(map[string]int, len(o.documents))
	for i := range o.documents {
		numbers[o.documents[i].Path] = i
	}
	for _, path := range r.Changed {
		text, err := r.Read(path)
		if err != nil {
			continue // it is missing, so nothing shows it
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

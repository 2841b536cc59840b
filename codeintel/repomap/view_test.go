package repomap_test

import (
	"io/fs"
	"maps"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/index"
)

// fakeView is an index of texts in memory.
type fakeView struct {
	texts     map[string]string
	documents []index.Document
	postings  map[string][]index.Posting
}

// viewOf makes a view; Go files have an outline.
func viewOf(texts map[string]string) *fakeView {
	v := &fakeView{texts: texts, postings: map[string][]index.Posting{}}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		v.add(path, texts[path])
	}
	return v
}

func (v *fakeView) add(path, text string) {
	document := index.Document{Path: path, Language: codeintel.LanguageOf(path), Size: len(text), Lines: strings.Count(text, "\n")}
	var names []string
	if document.Language == codeintel.LanguageGo {
		outline := codeintel.GoOutline(text)
		document.Outline = &outline
		names = namesOf(document.Outline.Symbols)
	}
	v.post(index.PartSymbols, strings.Join(names, " "))
	v.post(index.PartPath, path)
	lines := strings.SplitAfter(text, "\n")
	for part := 0; part*index.ChunkLines < len(lines); part++ {
		chunk := lines[part*index.ChunkLines : min(len(lines), (part+1)*index.ChunkLines)]
		v.post(int32(part), strings.Join(chunk, ""))
	}
	v.documents = append(v.documents, document)
}

func (v *fakeView) post(part int32, text string) {
	counts := map[string]uint32{}
	for word := range codeintel.Words(text) {
		counts[word]++
	}
	for word, count := range counts {
		v.postings[word] = append(v.postings[word], index.Posting{Document: uint32(len(v.documents)), Part: part, Count: count})
	}
}

func namesOf(symbols []codeintel.Symbol) []string {
	var names []string
	for _, s := range symbols {
		names = append(append(names, s.Name), namesOf(s.Children)...)
	}
	return names
}

func (v *fakeView) Documents() []index.Document          { return v.documents }
func (v *fakeView) Postings(word string) []index.Posting { return v.postings[word] }
func (v *fakeView) Holders(word string) (lines, symbols []uint32) {
	for _, p := range v.postings[word] {
		switch {
		case p.Part == index.PartSymbols:
			symbols = append(symbols, p.Document)
		case p.Part >= 0 && !slices.Contains(lines, p.Document):
			lines = append(lines, p.Document)
		}
	}
	return lines, symbols
}

func (v *fakeView) Complete() bool { return true }

func (v *fakeView) ReadFile(path string) ([]byte, error) {
	text, known := v.texts[path]
	if !known {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

// importsOf is who imports whom, by path.
type importsOf map[string][]string

func (g importsOf) Direct(path string) []string { return slices.Sorted(slices.Values(g[path])) }

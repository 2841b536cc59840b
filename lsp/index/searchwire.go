package index

import (
	"strings"

	"forge/api"
	"forge/api/service"
	"forge/internal/inert"
	"forge/lsp/editor"
)

// sources are the files of a folder that an answer is about, each read once.
type sources struct {
	folders *editor.Folders
	folder  editor.Folder
	byPath  map[string]*editor.Lines
}

func sourcesOf(f *editor.Folders, folder editor.Folder) sources {
	return sources{folders: f, folder: folder, byPath: map[string]*editor.Lines{}}
}

// lines returns the text of a file as it is now, with an index over it. One that cannot be read any more is empty.
func (s sources) lines(path string) *editor.Lines {
	if known := s.byPath[path]; known != nil {
		return known
	}
	now, err := s.folders.Read(s.folder, path)
	if err != nil {
		now = editor.Current{}
	}
	s.byPath[path] = editor.NewLines(now.Text, s.folders.Docs.Unit)
	return s.byPath[path]
}

// place is where a symbol's name stands. What was typed or saved between the answer of the atlas and the reading of the
// file may have moved it.
func (s sources) place(symbol service.FoundSymbol) api.Range {
	return *editor.WireRange(s.lines(symbol.Path).Span(symbol.Span.Start, symbol.Span.End))
}

// wireAnswer is what was found, as forge.search returns it.
func (fi *Finder) wireAnswer(folder editor.Folder, a service.Found) api.SearchResult {
	result := api.SearchResult{
		Folder: string(folder.URI), Complete: a.Complete, Hits: []api.SearchHit{}, Symbols: []api.SearchSymbol{},
	}
	files := sourcesOf(fi.folders, folder)
	for _, h := range a.Hits {
		result.Hits = append(result.Hits, files.hit(h))
	}
	for _, h := range a.Symbols {
		result.Symbols = append(result.Symbols, api.SearchSymbol{
			URI: string(fi.folders.URIOf(folder, h.Path)), Path: h.Path, Name: h.Name, Kind: h.Kind, Detail: h.Detail,
			Range: files.place(h), Score: h.Score,
		})
	}
	return result
}

func (s sources) hit(h service.FoundFile) api.SearchHit {
	wire := api.SearchHit{
		URI: string(s.folders.URIOf(s.folder, h.Path)), Path: h.Path, Score: h.Score, Why: h.Why, Signals: h.Signals, Lines: []api.SearchLine{},
	}
	if h.FirstLine == 0 {
		return wire
	}
	index := s.lines(h.Path)
	start, end := bytesOf(index.Text, h.FirstLine, h.LastLine)
	wire.Range = editor.WireRange(index.Span(start, end))
	for _, l := range h.Lines {
		wire.Lines = append(wire.Lines, wireLine(index, l))
	}
	if h.Best.Line > 0 {
		best := wireLine(index, h.Best)
		wire.Best = &best
	}
	return wire
}

func wireLine(index *editor.Lines, l service.FoundLine) api.SearchLine {
	at, _ := bytesOf(index.Text, l.Line, l.Line)
	return api.SearchLine{Line: index.Position(at).Line, Text: inert.Shorten(l.Text, excerptWidth)}
}

// bytesOf is where lines begin and end, counted from 1 as the index counts them: by line feeds alone. The end leaves out
// the last line's line feed.
func bytesOf(text string, first, last int) (start, end int) {
	at, number := 0, 0
	start, end = len(text), len(text)
	for line := range strings.Lines(text) {
		number++
		if number == first {
			start = at
		}
		at += len(line)
		if number == last {
			return start, max(start, at-len(line)+len(strings.TrimRight(line, "\r\n")))
		}
	}
	return start, end
}

// list is never nil, so that it is an array on the wire.
func list(paths []string) []string { return append([]string{}, paths...) }

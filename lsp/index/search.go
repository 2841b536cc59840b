package index

import (
	"cmp"
	"context"
	"strings"

	"forge/api"
	"forge/api/service"
	"forge/codeintel/imports"
	"forge/codeintel/search"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// The defaults of commands, and their limits.
const (
	maxHits        = 200
	maxBudget      = 1_000_000 // tokens
	maxImportDepth = 8
	excerptWidth   = 200 // characters of a line
)

// Finder answers the commands that search whole folders. It owns nothing, and may call the surveys and the composer of prompts.
type Finder struct {
	surveys *Surveys
	folders *editor.Folders
	prompt  func(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) // that of a node
}

// NewFinder returns a finder; prompt answers for the prompt of a node.
func NewFinder(s *Surveys, f *editor.Folders, prompt func(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error)) *Finder {
	return &Finder{surveys: s, folders: f, prompt: prompt}
}

// Commands are those that search folders.
func (fi *Finder) Commands() editor.Commands {
	return editor.Commands{
		api.Search: editor.Handler(fi.search), api.RepoMap: editor.Handler(fi.repoMap), api.Context: editor.Handler(fi.context), api.Imports: editor.Handler(fi.imports),
	}
}

// search answers forge.search.
func (fi *Finder) search(ctx context.Context, a *api.SearchArgs) (api.SearchResult, error) {
	if strings.TrimSpace(a.Text) == "" && len(a.Open) == 0 {
		return api.SearchResult{}, transport.InvalidParams("Say in plain words what to look for, or name an open file.")
	}
	q, folder, err := Query(fi.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.SearchResult{}, err
	}
	q.Limit = min(a.Limit, maxHits)
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.SearchResult{}, err
	}
	found, err := service.Search(ctx, known, fi.folders.Served(folder), q)
	if err != nil {
		return api.SearchResult{}, err
	}
	return fi.wireAnswer(folder, found), nil
}

// repoMap answers forge.repoMap.
func (fi *Finder) repoMap(ctx context.Context, a *api.PackArgs) (api.MapResult, error) {
	q, folder, err := Query(fi.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.MapResult{}, err
	}
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.MapResult{}, err
	}
	q.Budget = min(a.Budget, maxBudget)
	return service.Map(ctx, known, fi.folders.Served(folder), q)
}

// context answers forge.context.
func (fi *Finder) context(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) {
	if a.Node != "" {
		return fi.prompt(ctx, a)
	}
	if a.Recipe != "" {
		return api.ContextResult{}, &api.ArgumentError{Field: "recipe", Problem: "is that of the run of a node; name the node, or leave recipe out"}
	}
	q, folder, err := Query(fi.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.ContextResult{}, err
	}
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.ContextResult{}, err
	}
	complete, budget := known.Status().Complete, budgetOf(a.Budget)
	pack, err := known.Context(ctx, search.Query{Text: q.Text, Open: q.Open}, budget)
	if err != nil {
		return api.ContextResult{}, err
	}
	result := api.ContextResult{
		Folder: string(folder.URI), Complete: complete, Tokens: pack.Tokens, Budget: budget,
		Sections: []api.ContextSection{}, Left: list(pack.Left),
	}
	for _, s := range pack.Sections {
		section := api.ContextSection{Name: s.Name, Path: s.Path, How: string(s.How), Tokens: s.Tokens, Text: s.Text}
		if s.Path != "" {
			section.URI = string(fi.folders.URIOf(folder, s.Path))
		}
		result.Sections = append(result.Sections, section)
	}
	return result, nil
}

func budgetOf(asked int) int { return min(cmp.Or(asked, service.DefaultBudget), maxBudget) }

// imports answers forge.imports.
func (fi *Finder) imports(ctx context.Context, a *api.ImportsArgs) (api.ImportsResult, error) {
	document := a.URI
	if document == "" {
		open := fi.folders.Docs.Snapshot()
		if len(open) != 1 {
			return api.ImportsResult{}, transport.InvalidParams("Choose the file: %d are open.", len(open))
		}
		document = string(open[0].URI)
	}
	folder, err := editor.FolderOf(editor.OnDisk(fi.folders.Current()), document)
	if err != nil {
		return api.ImportsResult{}, transport.InvalidParams("%s is not a file in an open folder.", document)
	}
	path, _ := editor.PathIn(folder, document)
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return api.ImportsResult{}, err
	}
	depth := min(a.Depth, maxImportDepth)
	depth = cmp.Or(depth, imports.DefaultDepth)
	complete := known.Status().Complete
	found, err := known.Imports(ctx, path, depth)
	if err != nil {
		return api.ImportsResult{}, err
	}
	return api.ImportsResult{
		Folder: string(folder.URI), Complete: complete, Path: path,
		Direct: list(found.Direct), Transitive: list(found.Transitive), Downstream: list(found.Downstream),
	}, nil
}

// Query makes a query of the arguments, and chooses the folder it is about. Open files outside of it do not
// matter.
func Query(f *editor.Folders, text string, open []string, named string) (service.Query, editor.Folder, error) {
	folder, err := f.FolderFor(named, open)
	if err != nil {
		return service.Query{}, editor.Folder{}, err
	}
	q := service.Query{Text: text}
	for _, document := range open {
		if path, inside := editor.PathIn(folder, document); inside {
			q.Open = append(q.Open, path)
		}
	}
	return q, folder, nil
}

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

// place is the place of a symbol's name. What was typed or saved between the answer of the atlas and the reading of the
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

package service

import (
	"context"
	"strings"

	"forge/api"
	"forge/codeintel"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/atlas"
	"forge/engine/workspace"
)

// DefaultBudget is how many tokens a map may have where nothing is said.
const DefaultBudget = 8000

// excerptLines is how many lines are found of a file at most.
const excerptLines = 3

// Index is what is known of the texts of a folder.
type Index interface {
	// Search, Map and Symbols answer at once with what is known so far.
	Search(ctx context.Context, q search.Query) (atlas.Answer, error)
	Map(ctx context.Context, q search.Query, budget int) (repomap.Map, error)
	Symbols(ctx context.Context, text string, limit int) ([]search.SymbolHit, error)
	// Status reports how much of the folder has been read.
	Status() atlas.Status
}

// Query is what a search or a map is about.
type Query struct {
	Text   string
	Open   []string // paths of open files, the one in front first
	Limit  int      // files; 0 is as many as the index finds fit
	Fill   bool     // up to the limit, also with files that only weakly fit
	Budget int      // tokens of a map; 0 is DefaultBudget
	Bare   bool     // no lines of the files are wanted
}

func (q Query) search() search.Query {
	return search.Query{Text: q.Text, Open: q.Open, Limit: q.Limit, Fill: q.Fill}
}

// Found is what a search has found. Its names are those of forge search --json.
type Found struct {
	Complete bool          `json:"complete"` // false while files were still being read
	Hits     []FoundFile   `json:"hits"`     // best first
	Symbols  []FoundSymbol `json:"symbols"`
}

// FoundFile is a file that the query may be about.
type FoundFile struct {
	Path      string             `json:"path"`      // relative to the folder
	Score     float64            `json:"score"`     // comparable within one answer only
	FirstLine int                `json:"firstLine"` // from 1, of the lines that fit best; 0 if none do
	LastLine  int                `json:"lastLine"`
	Why       string             `json:"why"` // the signals in words
	Signals   []api.SearchSignal `json:"signals"`
	Lines     []FoundLine        `json:"lines"` // those of them that say most
	Best      FoundLine          `json:"-"`     // the first of them that says as much as any; zero where there are none
}

// FoundLine is a line of a file.
type FoundLine struct {
	Line int    `json:"line"` // from 1
	Text string `json:"text"`
}

// FoundSymbol is a definition.
type FoundSymbol struct {
	Path   string         `json:"path"`
	Name   string         `json:"name"`
	Kind   string         `json:"kind"`
	Detail string         `json:"detail,omitempty"`
	Line   int            `json:"line"` // from 1; 0 if the file cannot be read any more
	Span   codeintel.Span `json:"-"`    // of its name, in bytes
	Score  float64        `json:"-"`
}

// Search finds the files and definitions that a query is about.
func Search(ctx context.Context, known Index, in Folder, q Query) (Found, error) {
	answer, err := known.Search(ctx, q.search())
	if err != nil {
		return Found{}, err
	}
	files := in.Snapshot()
	f := Found{Complete: answer.Complete, Hits: []FoundFile{}}
	for _, h := range answer.Hits {
		f.Hits = append(f.Hits, fileOf(files, q, h))
	}
	f.Symbols = symbolsOf(files, q, answer.Symbols)
	return f, nil
}

// Symbols finds definitions by a part of their name.
func Symbols(ctx context.Context, known Index, in Folder, text string, limit int) ([]FoundSymbol, error) {
	hits, err := known.Symbols(ctx, text, limit)
	return symbolsOf(in.Snapshot(), Query{}, hits), err
}

// Map answers forge.repoMap.
func Map(ctx context.Context, known Index, in Folder, q Query) (api.MapResult, error) {
	budget := q.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	complete := known.Status().Complete
	m, err := known.Map(ctx, q.search(), budget)
	return api.MapResult{
		Folder: in.URI, Complete: complete, Text: m.Text, Tokens: m.Tokens, Budget: budget, Files: append([]string{}, m.Files...),
	}, err
}

func fileOf(files workspace.Snapshot, q Query, h search.Hit) FoundFile {
	file := FoundFile{
		Path: h.Path, Score: h.Score, FirstLine: h.FirstLine, LastLine: h.LastLine, Why: h.Reason(),
		Signals: []api.SearchSignal{}, Lines: []FoundLine{},
	}
	for _, s := range h.Signals {
		file.Signals = append(file.Signals, api.SearchSignal(s))
	}
	if h.FirstLine == 0 || q.Bare {
		return file
	}
	content, err := files.ReadFile(h.Path)
	if err != nil {
		return file // it is gone since it was found
	}
	for _, l := range search.Excerpt(string(content), q.Text, h.FirstLine, h.LastLine, excerptLines) {
		file.Lines = append(file.Lines, FoundLine{l.Number, l.Text})
	}
	for _, l := range search.Excerpt(string(content), q.Text, h.FirstLine, h.LastLine, 1) {
		file.Best = FoundLine{l.Number, l.Text}
	}
	return file
}

// symbolsOf finds the lines of symbols; every file is read once.
func symbolsOf(files workspace.Snapshot, q Query, hits []search.SymbolHit) []FoundSymbol {
	all, texts := []FoundSymbol{}, map[string]string{}
	for _, h := range hits {
		if _, read := texts[h.Path]; !read && !q.Bare {
			content, _ := files.ReadFile(h.Path) // one that is gone has no lines
			texts[h.Path] = string(content)
		}
		all = append(all, FoundSymbol{
			Path: h.Path, Name: h.Symbol.Name, Kind: string(h.Symbol.Kind), Detail: h.Symbol.Detail,
			Line: lineOf(texts[h.Path], h.Symbol.NameSpan.Start), Span: h.Symbol.NameSpan, Score: h.Score,
		})
	}
	return all
}

// lineOf is the line of a byte of a text, from 1, and 0 for a byte behind its end.
func lineOf(text string, offset int) int {
	if offset >= len(text) {
		return 0
	}
	return 1 + strings.Count(text[:offset], "\n")
}

// Outlined is a symbol of a file. Its names are those of forge symbols --json.
type Outlined struct {
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Receiver string     `json:"receiver,omitempty"` // of a method: its type
	Detail   string     `json:"detail,omitempty"`
	Doc      string     `json:"doc,omitempty"`
	Line     int        `json:"line"` // from 1, of its name
	Children []Outlined `json:"children"`
}

// Outline returns the symbols of a file; broken says that it has syntax errors.
func Outline(ctx context.Context, o codeintel.Outliner, path, text string) (symbols []Outlined, broken bool, err error) {
	outline, err := o.Outline(ctx, codeintel.LanguageOf(path), text)
	return outlinedOf(text, outline.Symbols), outline.Broken, err
}

func outlinedOf(text string, symbols []codeintel.Symbol) []Outlined {
	all := []Outlined{}
	for _, s := range symbols {
		all = append(all, Outlined{
			Name: s.Name, Kind: string(s.Kind), Receiver: s.Receiver, Detail: s.Detail, Doc: s.Doc,
			Line: lineOf(text, s.NameSpan.Start), Children: outlinedOf(text, s.Children),
		})
	}
	return all
}

package service

import (
	"cmp"
	"context"
	"strings"

	"forge/api"
	"forge/codeintel"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/atlas"
	"forge/engine/workspace"
)

// DefaultBudget is the default size of a map, in tokens.
const DefaultBudget = 8000

// excerptLines bounds the lines per file in a result.
const excerptLines = 3

// Index is the search index of a folder.
type Index interface {
	// Search, Map and Symbols answer at once from what is indexed so far.
	Search(ctx context.Context, q search.Query) (atlas.Answer, error)
	Map(ctx context.Context, q search.Query, budget int) (repomap.Map, error)
	Symbols(ctx context.Context, text string, limit int) ([]search.SymbolHit, error)
	// Status reports how much of the folder is indexed.
	Status() atlas.Status
}

// Query is the query of a search or a map.
type Query struct {
	Text   string
	Open   []string // paths of open files, the active one first
	Limit  int      // of files; 0 lets the index choose
	Fill   bool     // fill up to the limit with weak matches
	Budget int      // tokens of a map; 0 is DefaultBudget
	Bare   bool     // leave out lines of the files
}

func (q Query) search() search.Query {
	return search.Query{Text: q.Text, Open: q.Open, Limit: q.Limit, Fill: q.Fill}
}

// Found is the result of a search. Its JSON is the output of forge search --json.
type Found struct {
	Complete bool          `json:"complete"` // false while files are still being indexed
	Hits     []FoundFile   `json:"hits"`     // best first
	Symbols  []FoundSymbol `json:"symbols"`
}

// FoundFile is a file that matches the query.
type FoundFile struct {
	Path      string             `json:"path"`      // relative to the folder
	Score     float64            `json:"score"`     // comparable within one answer only
	FirstLine int                `json:"firstLine"` // from 1, of the best matching lines; 0 if none match
	LastLine  int                `json:"lastLine"`
	Why       string             `json:"why"` // the signals in words
	Signals   []api.SearchSignal `json:"signals"`
	Lines     []FoundLine        `json:"lines"` // the most relevant of them
	Best      FoundLine          `json:"-"`     // the most relevant one; zero if there are none
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
	Line   int            `json:"line"` // from 1; 0 if the file can no longer be read
	Span   codeintel.Span `json:"-"`    // of its name, in bytes
	Score  float64        `json:"-"`
}

// Search finds the files and definitions that match a query.
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

// Symbols finds definitions by part of their name.
func Symbols(ctx context.Context, known Index, in Folder, text string, limit int) ([]FoundSymbol, error) {
	hits, err := known.Symbols(ctx, text, limit)
	return symbolsOf(in.Snapshot(), Query{}, hits), err
}

// Map answers forge.repoMap.
func Map(ctx context.Context, known Index, in Folder, q Query) (api.MapResult, error) {
	budget := q.Budget
	budget = cmp.Or(budget, DefaultBudget)
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
		return file // it was deleted since the search
	}
	for _, l := range search.Excerpt(string(content), q.Text, h.FirstLine, h.LastLine, excerptLines) {
		file.Lines = append(file.Lines, FoundLine{l.Number, l.Text})
	}
	for _, l := range search.Excerpt(string(content), q.Text, h.FirstLine, h.LastLine, 1) {
		file.Best = FoundLine{l.Number, l.Text}
	}
	return file
}

// symbolsOf finds the lines of symbols; it reads each file once.
func symbolsOf(files workspace.Snapshot, q Query, hits []search.SymbolHit) []FoundSymbol {
	all, texts := []FoundSymbol{}, map[string]string{}
	for _, h := range hits {
		if _, read := texts[h.Path]; !read && !q.Bare {
			content, _ := files.ReadFile(h.Path) // a deleted file has no lines
			texts[h.Path] = string(content)
		}
		all = append(all, FoundSymbol{
			Path: h.Path, Name: h.Symbol.Name, Kind: string(h.Symbol.Kind), Detail: h.Symbol.Detail,
			Line: lineOf(texts[h.Path], h.Symbol.NameSpan.Start), Span: h.Symbol.NameSpan, Score: h.Score,
		})
	}
	return all
}

// lineOf returns the line of a byte offset of a text, from 1; 0 for an offset past its end.
func lineOf(text string, offset int) int {
	if offset >= len(text) {
		return 0
	}
	return 1 + strings.Count(text[:offset], "\n")
}

// Outlined is a symbol of a file. Its JSON is the output of forge symbols --json.
type Outlined struct {
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Receiver string     `json:"receiver,omitempty"` // of a method: its type
	Detail   string     `json:"detail,omitempty"`
	Doc      string     `json:"doc,omitempty"`
	Line     int        `json:"line"` // from 1, of its name
	Children []Outlined `json:"children"`
}

// Outline returns the symbols of a file; broken reports syntax errors.
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

package main

import (
	"fmt"
	"io"
	"strings"

	"forge/codeintel/search"
	"forge/engine/atlas"
	"forge/engine/workspace"
	"forge/internal/inert"
)

// found is what forge search --json prints.
type found struct {
	Complete bool          `json:"complete"` // false while files were still being read
	Hits     []foundFile   `json:"hits"`
	Symbols  []foundSymbol `json:"symbols"`
}

// foundFile is a file, best first.
type foundFile struct {
	Path      string        `json:"path"` // relative to the folder
	Score     float64       `json:"score"`
	FirstLine int           `json:"firstLine"` // from 1, of the lines that fit best; 0 if none do
	LastLine  int           `json:"lastLine"`
	Why       string        `json:"why"` // the signals in words
	Signals   []foundSignal `json:"signals"`
	Lines     []numberLine  `json:"lines"` // those of them that say most
}

type foundSignal struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // its part of the score
}

// foundSymbol is a definition.
type foundSymbol struct {
	Path   string `json:"path"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"`
	Line   int    `json:"line"` // from 1; 0 if the file cannot be read any more
}

// excerptLines is how many lines are shown of a file, and symbolsShown how many symbols people see.
const (
	excerptLines = 3
	symbolsShown = 10
)

// foundIn adds to an answer what stands in the files.
func foundIn(files workspace.Snapshot, text string, a atlas.Answer) found {
	f := found{Complete: a.Complete, Hits: []foundFile{}}
	for _, h := range a.Hits {
		f.Hits = append(f.Hits, fileOf(files, text, h))
	}
	f.Symbols = symbolsOf(files, a.Symbols)
	return f
}

func fileOf(files workspace.Snapshot, text string, h search.Hit) foundFile {
	file := foundFile{
		Path: h.Path, Score: h.Score, FirstLine: h.FirstLine, LastLine: h.LastLine, Why: h.Reason(),
		Signals: []foundSignal{}, Lines: []numberLine{},
	}
	for _, s := range h.Signals {
		file.Signals = append(file.Signals, foundSignal(s))
	}
	if h.FirstLine == 0 {
		return file
	}
	content, err := files.ReadFile(h.Path)
	if err != nil {
		return file // it is gone since it was found
	}
	for _, l := range search.Excerpt(string(content), text, h.FirstLine, h.LastLine, excerptLines) {
		file.Lines = append(file.Lines, numberLine{l.Number, l.Text})
	}
	return file
}

// symbolsOf finds the lines of symbols; every file is read once.
func symbolsOf(files workspace.Snapshot, hits []search.SymbolHit) []foundSymbol {
	all, texts := []foundSymbol{}, map[string]string{}
	for _, h := range hits {
		if _, read := texts[h.Path]; !read {
			content, _ := files.ReadFile(h.Path) // one that is gone has no lines
			texts[h.Path] = string(content)
		}
		all = append(all, foundSymbol{
			Path: h.Path, Name: h.Symbol.Name, Kind: string(h.Symbol.Kind), Detail: h.Symbol.Detail,
			Line: lineOf(texts[h.Path], h.Symbol.NameSpan.Start),
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

func (f found) print(w io.Writer) {
	for _, h := range f.Hits {
		h.print(w)
	}
	if len(f.Symbols) > 0 {
		fmt.Fprintln(w, "\nsymbols")
	}
	printSymbols(w, "    ", f.Symbols[:min(len(f.Symbols), symbolsShown)])
}

func (h foundFile) print(w io.Writer) {
	place := h.Path
	if h.FirstLine > 0 {
		place = fmt.Sprintf("%s:%d-%d", h.Path, h.FirstLine, h.LastLine)
	}
	fmt.Fprintf(w, "%s  (%s)\n", onOneLine(place), onOneLine(h.Why))
	for _, l := range h.Lines {
		fmt.Fprintf(w, "    %5d  %s\n", l.Line, onOneLine(l.Text))
	}
}

func printSymbols(w io.Writer, indent string, symbols []foundSymbol) {
	for _, s := range symbols {
		place := s.Path
		if s.Line > 0 {
			place = fmt.Sprintf("%s:%d", s.Path, s.Line)
		}
		fmt.Fprintf(w, "%s%s  %s %s%s\n", indent, onOneLine(place), s.Kind, onOneLine(s.Name), signature(s.Detail))
	}
}

// signature puts the detail of a symbol behind its name.
func signature(detail string) string {
	if detail == "" || strings.HasPrefix(detail, "(") {
		return onOneLine(detail)
	}
	return " " + onOneLine(detail)
}

// maxShownLine bounds a line of a file as people see it, in characters.
const maxShownLine = 140

// onOneLine is text of a file as it is shown: inert, on one line, with its indentation, and not too long.
func onOneLine(text string) string {
	text = strings.NewReplacer("\n", " ", "\t", "    ").Replace(inert.Text(text))
	if runes := []rune(text); len(runes) > maxShownLine {
		return string(runes[:maxShownLine-1]) + "…"
	}
	return text
}

package search

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel"
	"forge/codeintel/index"
)

// plainNames looks at every name, the long way.
func plainNames(documents []index.Document, text string, limit int) []SymbolHit {
	wanted := readName(text)
	var found []SymbolHit
	if wanted.name == "" {
		return nil
	}
	for _, d := range documents {
		var look func(symbols []codeintel.Symbol, of *owner)
		look = func(symbols []codeintel.Symbol, of *owner) {
			for _, s := range symbols {
				w := nameSearch{wanted: wanted, path: d.Path}
				if likeness := wanted.like(s.Name); likeness > 0 && w.belongs(&s, of) {
					found = append(found, SymbolHit{Path: d.Path, Symbol: s, Score: likeness - lessOf[s.Kind]})
				}
				look(s.Children, &owner{s.Name, of})
			}
		}
		if d.Outline != nil {
			look(d.Outline.Symbols, nil)
		}
	}
	slices.SortStableFunc(found, func(a, b SymbolHit) int { return cmp.Compare(b.Score, a.Score) })
	return found[:min(len(found), limit)]
}

// names are made of a few parts, so that many are alike.
func drawName(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"parse", "HTTP", "Http", "http", "_", "x1", "29", "É", "ß", "İ", "日", "\xff", "-", " ", "Of", "s", "r", "Reader"}), 1, 4)
	name := ""
	for _, part := range parts.Draw(t, "parts") {
		name += part
	}
	return name
}

func drawSymbols(t *rapid.T, depth int) []codeintel.Symbol {
	symbols := make([]codeintel.Symbol, rapid.IntRange(0, 4).Draw(t, "symbols"))
	for i := range symbols {
		kind := rapid.SampledFrom([]codeintel.Kind{codeintel.Function, codeintel.Field, codeintel.Variable, codeintel.Class})
		symbols[i] = codeintel.Symbol{Name: drawName(t), Kind: kind.Draw(t, "kind"), Span: codeintel.Span{Start: i, End: depth}}
		if depth > 0 && rapid.Bool().Draw(t, "inside") {
			symbols[i].Children = drawSymbols(t, depth-1)
		}
	}
	return symbols
}

func drawOutline(t *rapid.T) *codeintel.Outline {
	if rapid.IntRange(0, 5).Draw(t, "none") == 0 {
		return nil
	}
	return &codeintel.Outline{Symbols: drawSymbols(t, 2)}
}

// Whatever the documents were before: a table finds what a look at every name finds, in the same order.
func TestNameTable_IsAPlainScan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		outlines := map[string]*codeintel.Outline{}
		for i := range rapid.IntRange(0, 300).Draw(t, "documents") {
			outlines[fmt.Sprintf("d%d/f%03d.go", i%7, i)] = nil
		}
		var table *NameTable
		for range rapid.IntRange(1, 4).Draw(t, "views") {
			for range rapid.IntRange(1, 12).Draw(t, "edits") {
				path := fmt.Sprintf("d%d/f%03d.go", rapid.IntRange(0, 6).Draw(t, "folder"), rapid.IntRange(0, 300).Draw(t, "file"))
				if rapid.IntRange(0, 3).Draw(t, "gone") == 0 {
					delete(outlines, path)
				} else {
					outlines[path] = drawOutline(t)
				}
			}
			documents := make([]index.Document, 0, len(outlines))
			for path, outline := range outlines {
				documents = append(documents, index.Document{Path: path, Outline: outline})
			}
			slices.SortFunc(documents, func(a, b index.Document) int { return cmp.Compare(a.Path, b.Path) })
			table = NewNameTable(documents, table)
			text, limit := drawName(t), rapid.IntRange(1, 9).Draw(t, "limit")
			if rapid.Bool().Draw(t, "owner") {
				text = drawName(t) + "." + text
			}
			got, err := table.Names(t.Context(), text, limit)
			require.NoError(t, err)
			require.Equal(t, plainNames(documents, text, limit), slices.Clip(got), text)
		}
	})
}

func TestNameTable_ReusesUnchangedNames(t *testing.T) {
	t.Parallel()
	var documents []index.Document
	for i := range 1000 {
		documents = append(documents, index.Document{Path: fmt.Sprintf("%04d.go", i), Outline: &codeintel.Outline{}})
	}
	before := NewNameTable(documents, nil)
	require.Greater(t, len(before.pages), 4)
	changed := slices.Clone(documents)
	changed[500].Outline = &codeintel.Outline{Symbols: []codeintel.Symbol{{Name: "fresh"}}}
	changed = slices.Insert(changed, 200, index.Document{Path: "0199a.go"})
	made := 0
	for _, page := range NewNameTable(changed, before).pages {
		if !slices.Contains(before.pages, page) {
			made++
		}
	}
	require.Positive(t, made)
	require.LessOrEqual(t, made, 3, "the new one may end a page")
}

// A set of letters never denies a letter that is there: else names would be lost. The twin: it rules most other names
// out.
func TestLetters_AreThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name, text := rapid.String().Draw(t, "name"), rapid.String().Draw(t, "text")
		for _, wanted := range []wantedName{readName(name), readName(text)} {
			if wanted.name != "" && wanted.like(name) > 0 {
				require.True(t, lettersOf(name).has(lettersOf(wanted.name)))
			}
		}
	})
	require.False(t, lettersOf("Reader").has(lettersOf("writer")))
	require.False(t, lettersOf("Reader1").has(lettersOf("reader2")))
	require.False(t, lettersOf("Reader").has(lettersOf("é")))
}

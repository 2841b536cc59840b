package treesitter_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func checkGolden(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

// printed writes an outline to be read: each symbol with its lines.
func printed(source string, o codeintel.Outline) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s package=%q broken=%t\n\n", o.Language, o.Package, o.Broken)
	printSymbols(&b, source, "", o.Symbols)
	b.WriteString("\n")
	for _, i := range o.Imports {
		fmt.Fprintf(&b, "import %s %v\n", i.Path, i.Names)
	}
	return b.String()
}

func printSymbols(b *strings.Builder, source, indent string, symbols []codeintel.Symbol) {
	for _, s := range symbols {
		first := 1 + strings.Count(source[:s.Span.Start], "\n")
		fmt.Fprintf(b, "%s%d-%d %s %s", indent, first, first+strings.Count(source[s.Span.Start:s.Span.End], "\n"), s.Kind, s.Name)
		if s.Detail != "" {
			b.WriteString(": " + s.Detail)
		}
		if s.Doc != "" {
			b.WriteString("  // " + s.Doc)
		}
		b.WriteString("\n")
		printSymbols(b, source, indent+"\t", s.Children)
	}
}

// checkOutline fails unless all spans hold what they should.
func checkOutline(t *testing.T, source string, o codeintel.Outline) {
	t.Helper()
	checkSymbols(t, source, codeintel.Span{End: len(source)}, o.Symbols)
	at := 0
	for _, i := range o.Imports {
		require.NotEmpty(t, i.Path)
		require.LessOrEqual(t, at, i.Span.Start)
		require.LessOrEqual(t, i.Span.Start, i.Span.End)
		require.LessOrEqual(t, i.Span.End, len(source))
		at = i.Span.Start
	}
}

// checkSymbols asks for all that must hold at once: a text may have a hundred thousand symbols.
func checkSymbols(t *testing.T, source string, within codeintel.Span, symbols []codeintel.Symbol) {
	t.Helper()
	if wrong := misplaced(source, within, symbols); wrong != nil {
		require.Failf(t, "a symbol is out of place", "%+v", *wrong)
	}
}

// misplaced returns a symbol that is not named as the source says, lies outside of what holds it or starts before the
// one in front of it; nil if there is none.
func misplaced(source string, within codeintel.Span, symbols []codeintel.Symbol) *codeintel.Symbol {
	at := within.Start
	for i := range symbols {
		s := &symbols[i]
		ordered := at <= s.Span.Start && s.Span.Start <= s.NameSpan.Start && s.NameSpan.Start <= s.NameSpan.End &&
			s.NameSpan.End <= s.Span.End && s.Span.End <= within.End
		if !ordered || s.Name == "" || s.Kind == "" || s.Name != source[s.NameSpan.Start:s.NameSpan.End] {
			return s
		}
		if wrong := misplaced(source, s.Span, s.Children); wrong != nil {
			return wrong
		}
		at = s.Span.Start
	}
	return nil
}

// TestCheckOutline_CanFail makes sure that the check can fail.
func TestCheckOutline_CanFail(t *testing.T) {
	t.Parallel()
	symbol := func(name string, start, end, at int, children ...codeintel.Symbol) codeintel.Symbol {
		return codeintel.Symbol{Name: name, Kind: codeintel.Class, Span: codeintel.Span{Start: start, End: end},
			NameSpan: codeintel.Span{Start: at, End: at + len(name)}, Children: children}
	}
	for name, test := range map[string]struct {
		symbols []codeintel.Symbol
		wrong   bool
	}{
		"in order":              {[]codeintel.Symbol{symbol("a", 0, 3, 0, symbol("b", 1, 2, 1)), symbol("d", 3, 4, 3)}, false},
		"out of order":          {[]codeintel.Symbol{symbol("d", 3, 4, 3), symbol("a", 0, 1, 0)}, true},
		"a child outside":       {[]codeintel.Symbol{symbol("a", 0, 1, 0, symbol("b", 1, 2, 1))}, true},
		"a child in front":      {[]codeintel.Symbol{symbol("b", 1, 4, 1, symbol("a", 0, 1, 0))}, true},
		"a name outside":        {[]codeintel.Symbol{symbol("a", 1, 2, 0)}, true},
		"another name":          {[]codeintel.Symbol{symbol("c", 0, 1, 0)}, true},
		"no name":               {[]codeintel.Symbol{symbol("", 0, 1, 0)}, true},
		"behind the text":       {[]codeintel.Symbol{symbol("d", 3, 5, 3)}, true},
		"no kind, among others": {[]codeintel.Symbol{symbol("a", 0, 1, 0), {Name: "b", Span: codeintel.Span{Start: 1, End: 2}, NameSpan: codeintel.Span{Start: 1, End: 2}}}, true},
	} {
		wrong := misplaced("abcd", codeintel.Span{End: 4}, test.symbols)
		require.Equal(t, test.wrong, wrong != nil, name)
	}
}

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

// printed writes an outline for people: each symbol with its lines.
func printed(source string, o codeintel.Outline) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s package=%q broken=%t\n\n", o.Language, o.Package, o.Broken)
	printSymbols(&b, source, "", o.Symbols)
	b.WriteString("\n")
	for _, i := range o.Imports {
		fmt.Fprintf(&b, "import %s %v\n", i.Path, i.Names)
	}
	b.WriteString("\nreferences:")
	for _, r := range o.References {
		b.WriteString(" " + r.Name)
	}
	b.WriteString("\n")
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
	for _, r := range o.References {
		require.LessOrEqual(t, at, r.Span.Start)
		require.Equal(t, r.Name, source[r.Span.Start:r.Span.End])
		at = r.Span.End
	}
	at = 0
	for _, i := range o.Imports {
		require.NotEmpty(t, i.Path)
		require.LessOrEqual(t, at, i.Span.Start)
		require.LessOrEqual(t, i.Span.Start, i.Span.End)
		require.LessOrEqual(t, i.Span.End, len(source))
		at = i.Span.Start
	}
}

func checkSymbols(t *testing.T, source string, within codeintel.Span, symbols []codeintel.Symbol) {
	t.Helper()
	at := within.Start
	for _, s := range symbols {
		require.NotEmpty(t, s.Name)
		require.NotEmpty(t, s.Kind)
		require.Equal(t, s.Name, source[s.NameSpan.Start:s.NameSpan.End])
		require.LessOrEqual(t, at, s.Span.Start)
		require.LessOrEqual(t, s.Span.Start, s.NameSpan.Start)
		require.LessOrEqual(t, s.NameSpan.End, s.Span.End)
		require.LessOrEqual(t, s.Span.End, within.End)
		checkSymbols(t, source, s.Span, s.Children)
		at = s.Span.Start
	}
}

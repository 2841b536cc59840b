package codeintel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoOutline_KnowsTheFile(t *testing.T) {
	t.Parallel()
	o := GoOutline("// Package p is documented.\npackage p\nimport \"fmt\"\nimport (\n\t_ \"embed\"\n\tyaml \"go.yaml.in/yaml/v3\"\n)\n")
	require.Equal(t, LanguageGo, o.Language)
	require.Equal(t, "p", o.Package)
	require.False(t, o.Broken)
	var paths []string
	for _, i := range o.Imports {
		paths = append(paths, i.Path)
	}
	require.Equal(t, []string{"fmt", "embed", "go.yaml.in/yaml/v3"}, paths)
	require.True(t, GoOutline("package p\nfunc f( {").Broken)
	require.True(t, GoOutline("").Broken)
}

func TestGoOutline_Docs(t *testing.T) {
	t.Parallel()
	source := `package p

// A is first.
// It has more.
type A struct {
	// Field is above.
	Field int
	Behind int // behind it
}

/* Block comment. */
func F() {}

//go:noinline
func Directive() {}

// Apart is not about G.

func G() {}

// Group is about both.
const (
	One = 1 // the first
	// Two is above.
	Two = 2
	Three = 3
)
`
	docs := map[string]string{}
	var add func([]Symbol)
	add = func(symbols []Symbol) {
		for _, s := range symbols {
			docs[s.Name] = s.Doc
			add(s.Children)
		}
	}
	add(GoOutline(source).Symbols)
	require.Equal(t, map[string]string{
		"A": "A is first.", "Field": "Field is above.", "Behind": "behind it", "F": "Block comment.", "Directive": "", "G": "",
		"One": "the first", "Two": "Two is above.", "Three": "",
	}, docs)
}

func TestDocLine_IsTheFirstSentence(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]string{
		"":                                   "",
		"// One.\n// Two.":                   "One.",
		"/// Rust says so.":                  "Rust says so.",
		"//! Inner.":                         "Inner.",
		"/**\n * Adds.\n *\n * @public\n */": "Adds.",
		"/* short */":                        "short",
		"# ----------\n# Title\n# ------":    "Title",
		"-- | Haskell or SQL":                "| Haskell or SQL",
		"<!-- note -->":                      "note",
		"\n    Docstring.\n\n    More.\n":    "Docstring.",
		"//":                                 "",
		"// \xff\xfebroken bytes":            "broken bytes",
		"* 漢字 " + strings.Repeat("é", 200):   "漢字 " + strings.Repeat("é", 56) + "…",
	} {
		require.Equal(t, want, DocLine(comment), comment)
	}
}

func TestBrief_CutsToOneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "(a int, b string)", Brief("(a int,\n\t\tb string)"))
	require.Empty(t, Brief(" \n"))
	require.Len(t, Brief(strings.Repeat("x ", 50_000)), maxDetail+len("…"))
}

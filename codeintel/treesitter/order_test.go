package treesitter_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// broughtOutOfOrder are texts in which a declaration ends behind others that start later, and what else a fuzzer found.
var broughtOutOfOrder = []struct {
	name     string
	language codeintel.Language
	source   string
}{
	{"an array around a macro", codeintel.LanguageC, "int a[] = {\n#define B 1\n\tB,\n};\n"},
	{"a declaration around a macro", codeintel.LanguageC, "int\n#define A 1\nb;\n"},
	{"a header around a macro", codeintel.LanguageCPP, "int f()\n#define A 1\n{\n}\n"},
	{"the second branch of an #if", codeintel.LanguageC, "int\n#if A\na; int b;\n#else\nc;\n#endif\n"},
	{"a branch that leaves its block", codeintel.LanguageCSharp, "class A { int\n#if X\n} class B {\n#else\nint c; int d; }\n#endif\n"},
	{"a branch that ends a declaration", codeintel.LanguageCSharp, "f\n#if A\n;;) { }\n#else\nclass B { }\n"},
	{"the rest of a word", codeintel.LanguageJava, "-{\n}\nclass A { }\n"},
	{"an import of nothing", codeintel.LanguageLua, "require \"\"\nlocal a = 1\n"},
	{"a source of nothing", codeintel.LanguageBash, ". \"\"\na=1\n"},
	{"a requirement of nothing", codeintel.LanguagePHP, "<?php require '/';\nfunction a() {}\n"},
	{"a use of nothing", codeintel.LanguageRust, "use ::self;\nfn a() {}\n"},
	{"an include between two uses", codeintel.LanguageCPP, "using a = b\n#include <c>\n;\n#include <d>\n"},
}

func TestOutline_IsInOrderForAnyText(t *testing.T) {
	t.Parallel()
	for _, test := range broughtOutOfOrder {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			outline, err := new(treesitter.Outliner).Outline(t.Context(), test.language, test.source)
			require.NoError(t, err)
			checkOutline(t, test.source, outline)
		})
	}
}

func TestSettle_PutsAnOutlineInOrder(t *testing.T) {
	t.Parallel()
	span := func(start, end int) codeintel.Span { return codeintel.Span{Start: start, End: end} }
	outline := codeintel.Outline{
		Symbols: []codeintel.Symbol{
			{Name: "late", Span: span(50, 60)},
			{Name: "around", Span: span(10, 20), Children: []codeintel.Symbol{
				{Name: "d", Span: span(18, 30)}, {Name: "b", Span: span(12, 14)}, {Name: "c", Span: span(12, 16)},
			}},
			{Name: "early", Span: span(5, 70)},
		},
		Imports: []codeintel.Import{{Path: "b", Span: span(9, 10)}, {Span: span(3, 4)}, {Path: "a", Span: span(1, 2)}},
	}
	treesitter.Settle(&outline)
	want := codeintel.Outline{
		Symbols: []codeintel.Symbol{
			{Name: "early", Span: span(5, 70)},
			{Name: "around", Span: span(10, 30), Children: []codeintel.Symbol{
				{Name: "b", Span: span(12, 14)}, {Name: "c", Span: span(12, 16)}, {Name: "d", Span: span(18, 30)},
			}},
			{Name: "late", Span: span(50, 60)},
		},
		Imports: []codeintel.Import{{Path: "a", Span: span(1, 2)}, {Path: "b", Span: span(9, 10)}},
	}
	require.Empty(t, cmp.Diff(want, outline))
}

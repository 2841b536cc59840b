package treesitter

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

// Each text has a fault in its wanted line, or none where that is 0.
func TestFaults_ArePlaces(t *testing.T) {
	t.Parallel()
	grammars := true
	if sample, _ := new(Outliner).Faults(t.Context(), codeintel.LanguagePython, "def f(:\n"); len(sample) == 0 {
		grammars = false // built without cgo: only Go has a parser
	}
	for name, c := range map[string]struct {
		language codeintel.Language
		source   string
		line     int
	}{
		"go":                     {codeintel.LanguageGo, "package a\n\nfunc F() {\n\treturn 1 +\n}\n", 5},
		"go, whole":              {codeintel.LanguageGo, "package a\n\nfunc F() int { return undefined }\n", 0},
		"go, nothing":            {codeintel.LanguageGo, "", 0},
		"python":                 {codeintel.LanguagePython, "def f(a):\n    return (a\n\ndef g():\n    return 1\n", 2},
		"python, whole":          {codeintel.LanguagePython, "def f(a):\n    match a:\n        case [1, *_]:\n            return nope\n", 0},
		"typescript":             {codeintel.LanguageTypeScript, "export function f(a: number): number {\n  return a +;\n}\n", 2},
		"typescript, whole":      {codeintel.LanguageTypeScript, "export const f = <T,>(a: T): T => a satisfies unknown as T;\n", 0},
		"javascript":             {codeintel.LanguageJavaScript, "const a = {b: 1; c: 2};\n", 1},
		"javascript, whole":      {codeintel.LanguageJavaScript, "const a = {b: 1, c: async () => await b?.c ?? 1};\n", 0},
		"rust":                   {codeintel.LanguageRust, "fn f() -> i32 {\n    let a = ;\n    a\n}\n", 2},
		"rust, whole":            {codeintel.LanguageRust, "fn f<'a>(x: &'a str) -> &'a str { x }\n", 0},
		"bash":                   {codeintel.LanguageBash, "if true; then\n  echo a\n", 3},
		"bash, whole":            {codeintel.LanguageBash, "if true; then\n  echo a\nfi\n", 0},
		"prose has no syntax":    {codeintel.LanguageMarkdown, "# a\n(((\n", 0},
		"an unknown language":    {"", "(((", 0},
		"macros are not for us":  {codeintel.LanguageC, "BEGIN(x) { END\n", 0},
		"data is not looked at":  {codeintel.LanguagePython, "a = (\x00", 0},
		"more than can be borne": {codeintel.LanguagePython, strings.Repeat("(", 100_000), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults, err := new(Outliner).Faults(t.Context(), c.language, c.source)
			require.NoError(t, err)
			if c.line == 0 || c.language != codeintel.LanguageGo && !grammars {
				require.Empty(t, faults)
				return
			}
			require.NotEmpty(t, faults)
			require.NotEmpty(t, faults[0].Message)
			line := 1 + strings.Count(c.source[:faults[0].Span.Start], "\n")
			require.LessOrEqual(t, line, c.line, fmt.Sprint(faults))
			for _, f := range faults {
				require.True(t, 0 <= f.Span.Start && f.Span.Start <= f.Span.End && f.Span.End <= len(c.source), fmt.Sprint(f))
			}
		})
	}
}

func TestFaults_HeedTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, language := range []codeintel.Language{codeintel.LanguageGo, codeintel.LanguagePython} {
		_, err := new(Outliner).Faults(ctx, language, "a (")
		require.ErrorIs(t, err, context.Canceled)
	}
}

func FuzzFaults(f *testing.F) {
	for _, source := range []string{"package a\nfunc(", "def f(:\n", "const a = `${", "fn f() { let", "if true; then"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, language := range append([]codeintel.Language{codeintel.LanguageGo}, codeintel.LanguagePython, codeintel.LanguageTypeScript, codeintel.LanguageRust, codeintel.LanguageBash) {
			faults, err := new(Outliner).Faults(t.Context(), language, source)
			require.NoError(t, err)
			for _, f := range faults {
				require.True(t, 0 <= f.Span.Start && f.Span.Start <= f.Span.End && f.Span.End <= len(source), fmt.Sprint(language, f))
			}
		}
	})
}

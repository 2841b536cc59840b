package treesitter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

func FuzzLines(f *testing.F) {
	seed := func(l codeintel.Language, source string) { f.Add(uint8(max(0, slices.Index(scanned, l))), source) }
	for _, s := range samples(f) {
		seed(s.language, s.source)
		seed(s.language, s.source[len(s.source)/2:])
		seed(s.language, strings.ReplaceAll(s.source, "\n", "\r\n"))
	}
	for i := range scanned {
		for _, source := range []string{"\uFEFF", "#", "/*", "'", "\"\"\"", "`${`${", "<<EOF\n", "%w(", "{{{{", "))))", "a\xff(b\xfe) {", "\\", "[[", "$'", "r#\""} {
			f.Add(uint8(i), source)
		}
	}
	f.Fuzz(func(t *testing.T, language uint8, source string) {
		outline := outlined(t, scanned[int(language)%len(scanned)], source)
		checkOutline(t, source, outline)
		checkScanned(t, 0, outline.Symbols)
	})
}

// checkScanned fails for names that are no text, and for symbols that lie too deep to be walked.
func checkScanned(t *testing.T, depth int, symbols []codeintel.Symbol) {
	t.Helper()
	require.LessOrEqual(t, depth, 33)
	for _, s := range symbols {
		for _, text := range []string{s.Name, s.Detail, s.Doc, s.Receiver} {
			require.True(t, utf8.ValidString(text), "%q", text)
		}
		checkScanned(t, depth+1, s.Children)
	}
}

// scanned lists the languages that are read line by line.
var scanned = []codeintel.Language{
	codeintel.LanguageLua, codeintel.LanguageSQL, codeintel.LanguageMarkdown, codeintel.LanguageYAML, codeintel.LanguageTOML,
}

// TestLines_TakesLinearTime gives every language hostile texts. A scanner that is not linear does not end here.
func TestLines_TakesLinearTime(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"fifty thousand lines":     strings.Repeat("def f(a, b):\n    return { 'a': \"b\" } // c\n", 25_000),
		"keys":                     strings.Repeat("key: value\nother = 1\n[table]\n# heading\n", 5_000),
		"one line":                 strings.Repeat("function a(b){return{c:1}};x=function(){},class A{b(){}}", 5_000),
		"open braces":              strings.Repeat("class A { ", 20_000),
		"open parentheses":         strings.Repeat("a(", 100_000),
		"open angles":              strings.Repeat("A<", 100_000),
		"closed braces":            strings.Repeat("}", 100_000),
		"indents":                  indents(600),
		"comments":                 strings.Repeat("/* a ", 100_000),
		"comments of lines":        strings.Repeat("// a\n# b\n-- c\n", 20_000) + "int f() {}",
		"quotes":                   strings.Repeat("\"'`", 100_000),
		"open texts":               strings.Repeat("<<A\nr#\"%w(${[[$a$", 20_000),
		"open templates":           strings.Repeat("`${", 100_000),
		"conditions":               strings.Repeat("#if A\nint f() {\n#else\nint g() {\n#endif\n", 5_000),
		"conditions in each other": strings.Repeat("#if A\nf() {\n", 15_000),
		"templates":                strings.Repeat("template <", 50_000),
		"scopes":                   "void " + strings.Repeat("a::", 100_000) + "b() {}",
		"imports":                  "use " + strings.Repeat("a::{b,", 30_000) + ";\nimport " + strings.Repeat("a.{b,", 30_000),
		"annotations":              strings.Repeat("@A(b) [C] #[d] ", 40_000) + "class E {}",
		"modifiers":                strings.Repeat("public static final const ", 40_000) + "int x = 1;",
		"declarators":              "int " + strings.Repeat("a = {1}, ", 50_000) + "z;",
		"zeros":                    strings.Repeat("\x00", 100_000),
		"garbage":                  garbage(100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, language := range scanned {
				outline := outlined(t, language, source)
				checkOutline(t, source, outline)
				require.LessOrEqual(t, depth(outline.Symbols), 33)
			}
		})
	}
}

func depth(symbols []codeintel.Symbol) int {
	deepest := 0
	for _, s := range symbols {
		deepest = max(deepest, 1+depth(s.Children))
	}
	return deepest
}

func indents(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "%sclass A%d:\n%skey:\n", strings.Repeat(" ", i), i, strings.Repeat(" ", i))
	}
	return b.String()
}

// garbage is the same at each run.
func garbage(length int) string {
	text, state := make([]byte, length), uint32(1)
	for i := range text {
		state = state*1664525 + 1013904223
		text[i] = byte(state >> 24)
	}
	return string(text)
}

// TestLines_LineEndsDoNotMatter compares the names of each sample with those when its lines end as on Windows, behind
// the mark that editors there put in front.
func TestLines_LineEndsDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			windows := "\uFEFF" + strings.ReplaceAll(s.source, "\n", "\r\n")
			want, got := outlined(t, s.language, s.source), outlined(t, s.language, windows)
			require.Equal(t, printed(s.source, want), printed(windows, got))
			checkOutline(t, windows, got)
		})
	}
}

func outlined(t *testing.T, language codeintel.Language, source string) codeintel.Outline {
	t.Helper()
	outline, err := new(treesitter.Outliner).Outline(t.Context(), language, source)
	require.NoError(t, err)
	return outline
}

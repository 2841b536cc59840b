package treesitter_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// languages are all there are, so that a fuzzer need not guess their names.
var languages = []codeintel.Language{
	codeintel.LanguageGo, codeintel.LanguagePython, codeintel.LanguageTypeScript, codeintel.LanguageTSX, codeintel.LanguageJavaScript,
	codeintel.LanguageRust, codeintel.LanguageJava, codeintel.LanguageC, codeintel.LanguageCPP, codeintel.LanguageCSharp,
	codeintel.LanguageRuby, codeintel.LanguagePHP, codeintel.LanguageKotlin, codeintel.LanguageSwift, codeintel.LanguageScala,
	codeintel.LanguageBash, codeintel.LanguageLua, codeintel.LanguageSQL, codeintel.LanguageMarkdown, codeintel.LanguageYAML,
	codeintel.LanguageTOML,
}

// FuzzOutline gives texts to the grammar of their language, and of others: nothing may crash it, hang it or lead it out
// of the text.
func FuzzOutline(f *testing.F) {
	seed := func(l codeintel.Language, source string) { f.Add(uint8(slices.Index(languages, l)), source) }
	for _, s := range samples(f) {
		seed(s.language, s.source)
		seed(s.language, s.source[:len(s.source)/2])
		seed(s.language, "\xff"+s.source[len(s.source)/3:]+"\xe2\x82")
	}
	seed("python", "class A:\n  def f(self):\n\tx = 1\n def")
	seed("python", "f\"{f'{f\"{x!r:{y}}\"}'}\"\nclass é(\u2028): pass\n"+strings.Repeat(" ", 300)+"x = 1")
	seed("typescript", "interface A<in out T> {\n  a(): B\n  <C>(x: import('y').Z<C>): D\n}\nexport default function ();")
	seed("javascript", "`${`${`${a}`}`}`; class { #a; static { /[/]/ } } <a>{...b}</a>")
	for _, b := range broughtOutOfOrder {
		seed(b.language, b.source)
	}
	f.Fuzz(func(t *testing.T, language uint8, source string) {
		outline, err := new(treesitter.Outliner).Outline(t.Context(), languages[int(language)%len(languages)], source)
		require.NoError(t, err)
		checkOutline(t, source, outline)
		checkTexts(t, outline.Symbols)
	})
}

func checkTexts(t *testing.T, symbols []codeintel.Symbol) {
	t.Helper()
	for _, s := range symbols {
		for _, text := range []string{s.Name, s.Detail, s.Doc} {
			require.True(t, utf8.ValidString(text), "%q", text)
		}
		require.NotContains(t, s.Detail+s.Doc, "\n")
		checkTexts(t, s.Children)
	}
}

//go:build cgo

package treesitter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// adversaries are what each language is made of, again and again.
var adversaries = map[codeintel.Language][]string{
	codeintel.LanguagePython:     {"a.", "f\"{", "lambda: ", "not ", "a if b else ", "class A:\n ", "@a\n", "\"\"\""},
	codeintel.LanguageTypeScript: {"a<b<", "<T>(", "`${", "a ? ", "a => ", "({", "typeof ", "type A<B> = "},
	codeintel.LanguageTSX:        {"<a>", "<a b={", "a<", "</a>", "{<"},
	codeintel.LanguageJavaScript: {"`${`", "a => ", "async ", "a ? ", "function* ", "(a, b) => ", "/["},
	codeintel.LanguageRust:       {"a::<", "r#\"", "impl<", "#[a]", "&", "|a| ", "a..", "match a {"},
	codeintel.LanguageJava:       {"a < a < ", "List<", "(A) ", "(A)-", "@A(", "a -> ", "a ? "},
	codeintel.LanguageC:          {"(a) ", "(a)", "*", "a(", "#if A\n", "(int) ", "int (*a)(", "a * b "},
	codeintel.LanguageCPP:        {"(a) ", "a<a<", "a::b<", "template <", "[](", "R\"(", "#if A\n{\n#else\n", "operator "},
	codeintel.LanguageCSharp:     {"a < a < ", "List<", "a.", "a?.", "(a) ", "$\"{", "#if A\n", "[A] ", "from a in b "},
	codeintel.LanguageRuby:       {"!", "-", "<<~A ", "<<~'", "%w(", "\"#{", "a ? ", "begin\n", "{ |a| "},
	codeintel.LanguagePHP:        {"<?php ", "?>", "<<<A\n", "${", "fn() => ", "!", "$a->"},
	codeintel.LanguageKotlin:     {"\"", "\"${", "a?.", "List<", "{ a -> ", "/*", "if (a) "},
	codeintel.LanguageSwift:      {"a ? ", "\"\\(", "List<", "{ a in ", "#if A\n", "try ", "weak var> a\n"},
	codeintel.LanguageScala:      {"a => ", "s\"${", "List[", "if (a) ", "case a => ", "/*", "a match {"},
	codeintel.LanguageBash:       {"$(", "<<A ", "a <<A\n", "${", "`", "$((", "case a in "},
}

func TestOutline_HostileTextNeitherCrashesNorHangs(t *testing.T) {
	t.Parallel()
	for language, units := range adversaries {
		t.Run(string(language), func(t *testing.T) {
			t.Parallel()
			o := &treesitter.Outliner{Budget: 20 * time.Millisecond}
			for _, unit := range units {
				source := strings.Repeat(strings.Repeat(unit, 8)+"\n", 10_000/(8*len(unit)))
				outline, err := o.Outline(t.Context(), language, source)
				require.NoError(t, err, unit)
				require.Equal(t, language, outline.Language)
				checkOutline(t, source, outline)
			}
		})
	}
}

func TestOutline_StatementThatAGrammarCannotBearCostsItselfAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		language codeintel.Language
		source   string
	}{
		"angles":             {codeintel.LanguageCSharp, "class A { }\n" + strings.Repeat("a < a <\n", 5_000)},
		"type arguments":     {codeintel.LanguageJava, "class A { }\n" + strings.Repeat("List<\n", 5_000)},
		"parentheses":        {codeintel.LanguageC, "struct a { int b; };\n" + "int a = " + strings.Repeat("(\n", 5_000)},
		"words of documents": {codeintel.LanguageRuby, "class A\nend\na <<~'" + strings.Repeat("a", 300)},
		"prefixes":           {codeintel.LanguageRuby, "class A\nend\na = " + strings.Repeat("!", 5_000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outline, err := (&treesitter.Outliner{Budget: time.Hour}).Outline(t.Context(), test.language, test.source)
			require.NoError(t, err)
			require.NotEmpty(t, outline.Symbols)
			require.True(t, outline.Broken)
		})
	}
}

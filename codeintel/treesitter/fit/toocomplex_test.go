package fit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestTooComplex_IsNotWrittenByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		language codeintel.Language
		source   string
		want     bool
	}{
		{"as many brackets as there may be", codeintel.LanguageC, strings.Repeat("(", maxDepth), false},
		{"more brackets", codeintel.LanguageC, strings.Repeat("(", maxDepth+1), true},
		{"brackets side by side", codeintel.LanguageC, strings.Repeat("(a) ", 10*maxDepth), false},
		{"as many angles as there may be", codeintel.LanguageCSharp, strings.Repeat("a<", maxAngles), false},
		{"more angles", codeintel.LanguageCSharp, strings.Repeat("a <\n", maxAngles+1), true},
		{"angles in Java", codeintel.LanguageJava, strings.Repeat("List<", maxAngles+1), true},
		{"comparisons in statements", codeintel.LanguageJava, strings.Repeat("x = a < b;\n", 10*maxAngles), false},
		{"comparisons in parentheses", codeintel.LanguageKotlin, strings.Repeat("check(a < b)\n", 10*maxAngles), false},
		{"type arguments", codeintel.LanguageCSharp, strings.Repeat("Map<A, List<B>> c\n", 10*maxAngles), false},
		{"elements", codeintel.LanguageTSX, strings.Repeat("<a><b c=\"d\" /></a>\n", 10*maxAngles), false},
		{"choices", codeintel.LanguageCPP, strings.Repeat("a ?.", maxChoices+1), true},
		{"choices that are made", codeintel.LanguageC, "x = " + strings.Repeat("a ? b :\n", 10*maxChoices) + "c;", false},
		{"choices in statements", codeintel.LanguageC, strings.Repeat("x = a ? b : c;\n", 10*maxChoices), false},
		{"prefixes", codeintel.LanguageRuby, strings.Repeat("! - ", maxPrefix/2+1), true},
		{"a banner", codeintel.LanguageC, "/" + strings.Repeat("*", 200) + "/\nint a;\n", false},
		{"a word that Ruby has no room for", codeintel.LanguageRuby, "<<~'" + strings.Repeat("a", 256) + "'\n", true},
		{"a word without an end", codeintel.LanguageRuby, "<<~'A\n" + strings.Repeat("b\n", 128), true},
		{"many words at once", codeintel.LanguageBash, strings.Repeat("a <<A\n", 150), true},
		{"many words, one after another", codeintel.LanguageBash, strings.Repeat("a <<'A'\nb\nA\n", 1500), false},
		{"many indented words", codeintel.LanguageRuby, strings.Repeat("a(<<~SQL)\n  b\nSQL\n", 1500), false},
		{"many words that PHP goes on behind", codeintel.LanguagePHP, strings.Repeat("$a = f(<<<SQL\nb\nSQL);\n", 1500), false},
		{"what is put into a list", codeintel.LanguageRuby, strings.Repeat("a << \"b\"\n", 1500), false},
		{"shifts elsewhere", codeintel.LanguageC, strings.Repeat("a <<b;\n", 1500), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, TooComplex(test.language, test.source))
		})
	}
}

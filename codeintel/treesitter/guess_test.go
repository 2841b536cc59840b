//go:build cgo

package treesitter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

func outlineNames(t *testing.T, language codeintel.Language, source string) (names []string) {
	t.Helper()
	outline, err := new(Outliner).Outline(t.Context(), language, source)
	require.NoError(t, err)
	require.True(t, outline.Broken, "the twin: a text that is whole needs no guess")
	var add func([]codeintel.Symbol)
	add = func(symbols []codeintel.Symbol) {
		for _, s := range symbols {
			names = append(names, s.Name)
			add(s.Children)
		}
	}
	add(outline.Symbols)
	return names
}

func TestOutline_MissingTokenCostsNoOtherDeclaration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		language codeintel.Language
		source   string
		want     string
	}{
		"a brace of C#": {codeintel.LanguageCSharp,
			"namespace N\n{\n    class A\n    {\n        void B()\n        {\n            if (x)\n            {\n                y();\n        }\n\n        public int C()\n        {\n            return 1;\n        }\n    }\n}\n", "N A B C"},
		"a brace of Java":     {codeintel.LanguageJava, "class A {\n  void b() {\n    if (x) {\n      y();\n  }\n  void c() { }\n}\n", "A b c"},
		"an end of a shell":   {codeintel.LanguageBash, "a() {\n  if x; then\n    y\n}\nb() {\n  :\n}\n", "b"},
		"a bracket of Python": {codeintel.LanguagePython, "def a(x,\n\ndef b(): pass\nclass C:\n  def d(self): pass\n", "b C d"},
		"branches of C":       {codeintel.LanguageC, "#ifdef A\nint f(int x) {\n#else\nint f(void) {\n#endif\n  return 1;\n}\nint g(void) { return 2; }\n", "f g"},
		"a macro of C++":      {codeintel.LanguageCPP, "class API_EXPORT A final : public B {\npublic:\n  API_EXPORT explicit A(int x);\n};\n", "A A"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := strings.Join(outlineNames(t, test.language, test.source), " ")
			require.Equal(t, test.want, found)
		})
	}
}

func TestGuess_KeepsTheLength(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"", "}\n}\n", "{", "#if A\n#if B\nf(\n#else\n{\n#endif\n", "#endif\n#else\n", "FOO\nBAR(x)\nint é; // ü\n", "/* { */ '{' \"}\"\n",
		strings.Repeat("#if A\nint\n", 2*fit.MaxConditions) + strings.Repeat("#endif\n", 2*fit.MaxConditions),
	} {
		for language, g := range grammars {
			if g.guess != nil {
				require.Len(t, g.guess(source), len(source), "%s: %q", language, source)
			}
		}
	}
}

package codeintel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

// TestOutline_FindsDeclarationsAfterAnError reads what a user has just typed half of.
func TestOutline_FindsDeclarationsAfterAnError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		language codeintel.Language
		source   string
		want     string
	}{
		{"lua: no end of a function", codeintel.LanguageLua, "function a()\n  if x then\n\nfunction b() end\n", "a b"},
		{"sql: no end of columns", codeintel.LanguageSQL, "CREATE TABLE a (\n  id INT,\n\nCREATE TABLE b (c INT);\n", "a a.id b b.c"},
		{"markdown: no end of code", codeintel.LanguageMarkdown, "# A\n```\n# B\n", "A"},
		{"yaml: a tab", codeintel.LanguageYAML, "a:\n\tb: 1\nc: {\nd: 1\n", "a c d"},
		{"toml: no end of a list", codeintel.LanguageTOML, "a = [\n[b]\nc = 1\n", "a b b.c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			outline := codeintel.OutlineByLines(test.language, test.source)
			require.Equal(t, test.want, strings.Join(paths("", outline.Symbols), " "))
		})
	}
}

// paths returns the names of symbols with those around them, in order.
func paths(around string, symbols []codeintel.Symbol) []string {
	var all []string
	for _, s := range symbols {
		all = append(all, around+s.Name)
		all = append(all, paths(around+s.Name+".", s.Children)...)
	}
	return all
}

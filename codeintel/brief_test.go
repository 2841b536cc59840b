package codeintel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestDocLine_IsTheFirstSentence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, comment, want string }{
		{"a line", "// Adds two numbers.", "Adds two numbers."},
		{"of several lines the first with words", "/**\n * Adds.\n *\n * More.\n */", "Adds."},
		{"one block", "/* Adds. */", "Adds."},
		{"of Rust", "/// Adds.\n/// More.", "Adds."},
		{"of Lua", "--- Adds.\n-- @param a", "Adds."},
		{"of C#, on a line", "/// <summary>Adds.</summary>", "Adds."},
		{"of C#, below its mark", "/// <summary>\n/// Adds.\n/// </summary>", "Adds."},
		{"only marks", "//////\n// ----", ""},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, codeintel.DocLine(test.comment))
		})
	}
}

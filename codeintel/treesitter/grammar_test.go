//go:build cgo

package treesitter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQueries_FitTheirGrammars compiles the query of each grammar.
func TestQueries_FitTheirGrammars(t *testing.T) {
	t.Parallel()
	for language, g := range grammars {
		t.Run(string(language), func(t *testing.T) {
			t.Parallel()
			require.NotPanics(t, func() { g.newProgram() })
		})
	}
}

package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/search"
)

func TestReason_IsReadable(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"":                           nil,
		"its path":                   {"path"},
		"its text, names it defines": {"content", "symbols"},
		"old commits like this changed it, changed with an open file": {"similar", "cochange"},
		"walrus": {"walrus"},
		"its text, these lines, its path, changed often of late": {"content", "lines", "path", "frequent", "folder"},
	} {
		var hit search.Hit
		for i, name := range names {
			hit.Signals = append(hit.Signals, search.Signal{Name: name, Value: float64(len(names) - i)})
		}
		hit.Signals = append(hit.Signals, search.Signal{Name: "said"}) // which says nothing with its zero
		require.Equal(t, want, hit.Reason())
	}
}

package lsp

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/uri"
)

// A client that reads many documents loses only those that it read longest ago.
func TestFollowing_ForgetsTheOldest(t *testing.T) {
	t.Parallel()
	w := newFollowing()
	document := func(i int) uri.URI { return uri.URI(fmt.Sprintf("%s://proposal/p-%d/a.go", documentScheme, i)) }
	for i := range followed {
		w.add(document(i), "")
	}
	w.add(document(0), "again")
	w.add(document(followed), "")
	known := w.list()
	require.Len(t, known, followed)
	require.Equal(t, "again", known[document(0)])
	require.NotContains(t, known, document(1))
	require.Contains(t, known, document(2))
	require.Contains(t, known, document(followed))
}

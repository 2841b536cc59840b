package lsp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

func TestOneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c", oneLine(" a\n b\t c ", 10))
	require.Equal(t, "äöü…", oneLine("äöüßx", 4), "characters, not bytes")
}

// Each command of the table has somebody who runs it, and nobody runs what is not there.
func TestEveryCommandHasAHandler(t *testing.T) {
	t.Parallel()
	handlers := newFront(newServer(t.Context(), Options{})).commands
	for _, name := range api.Names() {
		require.Contains(t, handlers, name)
		delete(handlers, name)
	}
	require.Empty(t, handlers)
}

package lsp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// Each command of the table has a handler, and each handler a command.
func TestFront_EveryCommandHasAHandler(t *testing.T) {
	t.Parallel()
	handlers := newFront(newServer(t.Context(), Options{})).commands
	for _, name := range api.Names() {
		require.Contains(t, handlers, name)
		delete(handlers, name)
	}
	require.Empty(t, handlers)
}

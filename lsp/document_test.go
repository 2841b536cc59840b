package lsp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A node is named by itself, or in a part of a plan; neither leads out of the folder of a copy.
func TestDocument_NamesCopiesOfSentPrompts(t *testing.T) {
	t.Parallel()
	for address, file := range map[string]string{
		"forge://prompt/r-1/executor/2":        "prompt-r-1-executor-2.txt",
		"forge://prompt/r-1/money.a/review/11": "prompt-r-1-money.a-review-11.txt",
	} {
		d, err := newFront(newServer(t.Context(), Options{})).pages.ownDocument(address)
		require.NoError(t, err)
		require.Equal(t, file, d.file)
	}
	_, err := newFront(newServer(t.Context(), Options{})).pages.ownDocument("forge://prompt/r-1/../executor/2")
	require.ErrorContains(t, err, "is no document of Forge")
}

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJournal_TheJournalIsMeasured(t *testing.T) {
	t.Parallel()
	steps, appends, err := timeJournal(t.Context(), t.TempDir(), 10)
	require.NoError(t, err)
	require.Len(t, steps, 10)
	require.Len(t, appends, 10)
	for i := range steps {
		require.Positive(t, steps[i])
		require.Positive(t, appends[i])
	}
}

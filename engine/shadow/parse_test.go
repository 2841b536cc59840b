package shadow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func FuzzParseEntry(f *testing.F) {
	text, err := encodeEntry(Entry{ID: "id", Title: "t"})
	require.NoError(f, err)
	f.Add(text)
	f.Add("{}")
	f.Fuzz(func(t *testing.T, commit string) {
		e, err := parseEntry([]byte(commit))
		if err != nil {
			return
		}
		again, err := encodeEntry(e)
		require.NoError(t, err)
		same, err := parseEntry([]byte(again))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(e.Changes, same.Changes))
	})
}

func TestParseEntry_OfAnotherVersionOfForge(t *testing.T) {
	t.Parallel()
	_, err := parseEntry([]byte("{\"version\": 2, \"id\": \"abc\"}"))
	require.ErrorContains(t, err, "update Forge")
}

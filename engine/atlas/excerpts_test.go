package atlas_test

import (
	"io/fs"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/atlas"
)

// A pack of another state has the texts of that state: of files that changed, that are new, and that are gone.
func TestExcerpts_OfAnotherState(t *testing.T) {
	t.Parallel()
	a := open(t, repository(t, shop))
	state := map[string]string{}
	maps.Copy(state, shop)
	state["money/money.go"] = "package money\n\nfunc Transfer(amount int) {}\n"
	state["fresh.go"] = "package main\n\nfunc Fresh() {}\n"
	delete(state, "README.md")
	read := func(path string) ([]byte, error) {
		if text, there := state[path]; there {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	pack := func(r atlas.ExcerptsRequest) map[string]repomap.Section {
		packed, err := a.Excerpts(t.Context(), r)
		require.NoError(t, err)
		require.LessOrEqual(t, packed.Tokens, r.Budget)
		again, err := a.Excerpts(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, packed, again)
		found := map[string]repomap.Section{}
		for _, s := range packed.Sections {
			found[s.Path] = s
		}
		return found
	}
	r := atlas.ExcerptsRequest{
		Query: search.Query{Text: "transfer an amount"}, Targets: []string{"fresh.go"}, Budget: 1000,
		Read: read, Changed: []string{"fresh.go", "money/money.go", "README.md"},
	}
	found := pack(r)
	require.Equal(t, state["fresh.go"], found["fresh.go"].Text)
	require.Equal(t, repomap.Full, found["fresh.go"].How)
	require.Equal(t, state["money/money.go"], found["money/money.go"].Text)
	require.NotContains(t, found, "README.md")

	r.Read, r.Changed = nil, nil
	require.NotContains(t, pack(r)["money/money.go"].Text, "amount int", "without a state it is the folder")

	r.Budget = 0
	require.Empty(t, pack(r))
	require.NoError(t, a.Close())
	_, err := a.Excerpts(t.Context(), r)
	require.ErrorIs(t, err, atlas.ErrClosed)
}

package atlas_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSymbols_AreFoundByName(t *testing.T) {
	t.Parallel()
	a := open(t, folder(t, map[string]string{
		"a.go": "package a\n\nfunc Serve() {}\n\nfunc preserve() {}\n\nfunc httpServe() {}\n\nfunc serve() {}\n",
		"b.go": "package a\n\ntype Server struct { serves int }\n",
	}))
	for text, want := range map[string][]string{
		"Serve":  {"Serve", "serve", "Server", "serves", "httpServe", "preserve"},
		"serve":  {"serve", "Serve", "Server", "serves", "httpServe", "preserve"},
		"eserve": {"preserve"},
		"tiger":  {},
		"":       {},
		"  ":     {},
	} {
		hits, err := a.Symbols(t.Context(), text, 100)
		require.NoError(t, err)
		names := []string{}
		for _, hit := range hits {
			names = append(names, hit.Symbol.Name)
		}
		require.Equal(t, want, names, text)
	}
	hits, err := a.Symbols(t.Context(), "serve", 2)
	require.NoError(t, err)
	require.Len(t, hits, 2)
	hits, err = a.Symbols(t.Context(), "the http serve function", 5)
	require.NoError(t, err)
	require.NotEmpty(t, hits)
}

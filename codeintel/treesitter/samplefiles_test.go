package treesitter_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

// sample is a file testdata/sample.EXTENSION.
type sample struct {
	name     string // without its folder
	language codeintel.Language
	source   string
}

// samples reads them all. None would prove nothing, and fails.
func samples(t testing.TB) []sample {
	t.Helper()
	names, err := filepath.Glob("testdata/sample.*")
	require.NoError(t, err)
	var all []sample
	for _, name := range names {
		language := codeintel.LanguageOf(name)
		if language == "" {
			continue // what is expected of a sample
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, sample{filepath.Base(name), language, string(source)})
	}
	require.NotEmpty(t, all)
	return all
}

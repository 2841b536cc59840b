//go:build cgo

package treesitter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// TestSamples compares the outline of each testdata/sample.EXTENSION with the file of that name and ".outline".
func TestSamples(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob("testdata/sample.*")
	require.NoError(t, err)
	for _, name := range samples {
		if strings.HasSuffix(name, ".outline") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(name)
			require.NoError(t, err)
			outline, err := treesitter.New().Outline(t.Context(), codeintel.LanguageOf(name), string(source))
			require.NoError(t, err)
			checkOutline(t, string(source), outline)
			checkGolden(t, name+".outline", printed(string(source), outline))
		})
	}
}

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

// TestScanSamples compares what the line scanner finds in each testdata/sample.EXTENSION with testdata/lines.
func TestScanSamples(t *testing.T) {
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
			outline := treesitter.Scan(codeintel.LanguageOf(name), string(source))
			checkOutline(t, string(source), outline)
			checkGolden(t, filepath.Join("testdata", "lines", filepath.Base(name)+".outline"), printed(string(source), outline))
		})
	}
}

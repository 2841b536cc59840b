package treesitter_test

import (
	"path/filepath"
	"testing"

	"forge/codeintel/treesitter"
)

// TestScanSamples compares what the line scanner finds in each testdata/sample.EXTENSION with testdata/lines.
func TestScanSamples(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			outline := treesitter.Scan(s.language, s.source)
			checkOutline(t, s.source, outline)
			checkGolden(t, filepath.Join("testdata", "lines", s.name+".outline"), printed(s.source, outline))
		})
	}
}

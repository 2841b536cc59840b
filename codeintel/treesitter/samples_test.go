//go:build cgo

package treesitter_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/treesitter"
)

// TestOutline_OfSamples compares the outline of each testdata/sample.EXTENSION with the file of that name and ".outline".
func TestOutline_OfSamples(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			outline, err := new(treesitter.Outliner).Outline(t.Context(), s.language, s.source)
			require.NoError(t, err)
			checkOutline(t, s.source, outline)
			checkGolden(t, filepath.Join("testdata", s.name+".outline"), printed(s.source, outline))
		})
	}
}

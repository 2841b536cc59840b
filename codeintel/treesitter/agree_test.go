//go:build cgo

package treesitter_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// disagree names what only one of grammar and line scanner finds at the top of a sample.
var disagree = map[string][]string{
	"sample.c":  {"ring_handler"},           // a function that returns a pointer to one
	"sample.js": {"conditional", "default"}, // the scanner does not look into blocks, and needs a name
	"sample.ts": {"default", "foo", "inIf"},
}

// TestScannerAgreesWithGrammars holds the names at the top of each sample, as the line scanner finds them, against those
// that the grammar finds.
func TestScannerAgreesWithGrammars(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			byGrammar, err := treesitter.New().Outline(t.Context(), s.language, s.source)
			require.NoError(t, err)
			want, got := topNames(byGrammar), topNames(treesitter.Scan(s.language, s.source))
			var different []string
			for _, n := range slices.Sorted(slices.Values(append(slices.Clone(want), got...))) {
				if slices.Contains(want, n) != slices.Contains(got, n) {
					different = append(different, n)
				}
			}
			if diff := cmp.Diff(disagree[s.name], slices.Compact(different)); diff != "" {
				t.Errorf("grammar %v\nscanner %v\ndifferences, against those that are known: %s", want, got, diff)
			}
		})
	}
}

func topNames(o codeintel.Outline) []string {
	var names []string
	for _, s := range o.Symbols {
		names = append(names, s.Name)
	}
	return names
}

package match_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
)

// A refusal of a replacement speaks of what was searched for: its author has written no hunk.
func TestResolve_RefusesAReplacementInItsOwnWords(t *testing.T) {
	t.Parallel()
	file := memory{"f.go": "a := 1\nb := 2\na := 1\n"}
	for search, want := range map[string]string{
		"a := 1\n": `f.go: replacement 1 (of "a := 1") fits 2 places (lines 1, 3): search for more of the lines around the one that is meant`,
		"a":        `f.go: replacement 1 (of "a") fits 2 places (lines 1, 3): search for more of the lines around the one that is meant`,
		"c := 3\n": `f.go: replacement 1 (of "c := 3") does not match. The file's text differs from what the search text expects`,
	} {
		p, err := patch.FromReplacements([]patch.Replacement{{Path: "f.go", Search: search, Replace: "d := 4\n"}})
		require.NoError(t, err)
		_, err = match.Resolve(p, file)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hunk")
	}
}

package match_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
)

// A patch made by another front-end than Parse goes through the same door.
func TestResolve_ChecksPaths(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]patch.FileOp{
		"path":        {Kind: patch.Create, Path: "../a"},
		"destination": {Kind: patch.Move, Path: "a", To: ".git/a"},
		"twice":       {Kind: patch.Move, Path: "a", To: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := match.Resolve(patch.Patch{Ops: []patch.FileOp{op}}, memory{"a": "a\n"})
			require.ErrorAs(t, err, new(*patch.PathError))
		})
	}
}

//go:build cgo

package treesitter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDamage_GivesUpATreeThatIsTooDeep: a tree that is too deep is given up before anything walks all of it.
func TestDamage_GivesUpATreeThatIsTooDeep(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		strings.Repeat("! ", maxLevels+100): true,
		strings.Repeat("! ", 100):           false,
		"a = 1\n":                           false,
	} {
		work := startWork(t.Context(), defaultBudget)
		tree, damage, err := ruby.best(work, source)
		work.end()
		require.NoError(t, err)
		require.Equal(t, want, damage.breadth > maxBreadth)
		tree.Close()
	}
}

// TestDeeper_NoticesDepthWithoutBrackets: what is deep and long enough is noticed without brackets.
func TestDeeper_NoticesDepthWithoutBrackets(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"x = a" + strings.Repeat(".a", 2*maxNodes):    true,
		"x = a" + strings.Repeat(".a", maxNodes/4):    false,
		strings.Repeat("x = a.a.a.a.a\n", 3*maxNodes): false,
	} {
		work := startWork(t.Context(), 10*defaultBudget)
		tree, err := python.tree(work, source)
		work.end()
		require.NoError(t, err)
		require.Equal(t, want, deeper(tree.RootNode(), maxNodes))
		tree.Close()
	}
}

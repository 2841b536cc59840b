package checks

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A project formats the files that are in no other project below it.
func TestBelow_LeavesOutDeeperProjects(t *testing.T) {
	t.Parallel()
	roots := []string{"", "a", "a/b"}
	paths := []string{"x.go", "a/x.go", "a/b/x.go", "ab/x.go"}
	require.Equal(t, []string{"x.go", "ab/x.go"}, below("", roots, paths))
	require.Equal(t, []string{"x.go"}, below("a", roots, paths))
	require.Equal(t, []string{"x.go"}, below("a/b", roots, paths))
	require.Empty(t, below("c", []string{"c"}, paths))
}

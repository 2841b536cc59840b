package search

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

// TestPartners_AreFilesChangedTogether: the most frequent first, and of tests the share of those changes that changed a test.
func TestPartners_AreFilesChangedTogether(t *testing.T) {
	t.Parallel()
	day := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	commit := func(paths ...string) codeintel.Commit {
		return codeintel.Commit{Time: day, Message: "change", Paths: paths}
	}
	var texts []text
	for _, path := range []string{"a.go", "b.go", "CHANGES.md", "tests/all_test.go", "tests/rare_test.go"} {
		texts = append(texts, text{Path: path, Content: "package a\n"})
	}
	s := searcherOf(t, texts, []codeintel.Commit{
		commit("a.go", "CHANGES.md"), commit("a.go", "CHANGES.md"), commit("a.go", "CHANGES.md"), commit("a.go", "b.go"),
		commit("a.go", "tests/all_test.go"), commit("a.go", "tests/all_test.go"), commit("a.go", "tests/rare_test.go"),
	})
	shares := map[string]float64{}
	for i, p := range s.Partners("a.go") {
		shares[p.Path] = p.Share
		if i == 0 {
			require.Equal(t, "tests/all_test.go", p.Path)
		}
	}
	require.Len(t, shares, 4)
	require.InDelta(t, 2*shares["tests/rare_test.go"], shares["tests/all_test.go"], 1e-9)
	require.Greater(t, shares["tests/all_test.go"], 0.5, "of the changes that changed a test")
	require.Less(t, shares["CHANGES.md"], 0.5, "of all changes")
	require.Empty(t, s.Partners("unknown.go"))
}

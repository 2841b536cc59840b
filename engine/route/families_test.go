package route

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

func TestFamilies_TheCatalogueHas41Families(t *testing.T) {
	t.Parallel()
	require.Len(t, families(), 41)
	seen := map[string]bool{}
	for _, f := range families() {
		require.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		require.NotEmpty(t, f.Match, f.Name)
		require.Contains(t, []Class{Code, General, Reasoner, Small, Multilingual}, f.Class, f.Name)
		require.NotEmpty(t, f.Roles, f.Name)
		for _, tier := range f.Roles {
			require.Contains(t, config.Tiers(), tier, f.Name)
		}
		require.GreaterOrEqual(t, f.ContextTokens, 2048, f.Name)
		require.LessOrEqual(t, f.ContextTokens, 1<<20, f.Name)
		for _, pattern := range f.Match {
			require.Equal(t, f.Name, Classify(strings.ReplaceAll(pattern, " ", "-")).Family, "its own pattern leads to it")
		}
		for _, release := range f.Releases {
			kin := Classify(strings.ReplaceAll(release.Match, " ", "-"))
			require.Equal(t, f.Name, kin.Family, release.Match)
			require.Equal(t, release.ContextTokens, kin.Window, release.Match)
		}
	}
}

package api_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// drift returns the paths below root whose content is not what is generated today.
func drift(root string) []string {
	var stale []string
	for path, want := range api.Generated() {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil || string(got) != want {
			stale = append(stale, path)
		}
	}
	return stale
}

// write writes what is generated, below root.
func write(t *testing.T, root string) {
	t.Helper()
	for path, text := range api.Generated() {
		full := filepath.Join(root, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
	}
}

func TestGenerated_FilesAreCurrent(t *testing.T) {
	t.Parallel()
	if *update {
		write(t, "..")
	}
	require.Empty(t, drift(".."), "these files are generated; run: go test ./api -update")
}

func TestGenerated_DriftIsSeen(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.Len(t, drift(root), len(api.Generated()), "missing files are drift")
	write(t, root)
	require.Empty(t, drift(root))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs/commands.md"), []byte("edited by hand"), 0o644))
	require.Equal(t, []string{"docs/commands.md"}, drift(root))
}

// Everything on the wire is described, or the generated files say less than they should.
func TestGenerated_FilesNameEverything(t *testing.T) {
	t.Parallel()
	for _, name := range api.Names() {
		require.Contains(t, api.Markdown(), "\n## "+name+"\n")
		require.Contains(t, api.TypeScript(), "'"+name+"': {")
	}
	require.Contains(t, api.TypeScript(), "| EventOf<'run.ended', RunEnded>;")
	require.Contains(t, api.TypeScript(), "recipe?: 'implement' | 'fix' | 'tdd' | 'refactor' | 'test' | 'document' | 'explain' | 'review';")
	require.NotContains(t, api.TypeScript(), ": ;", "a field without a type")
}

package rust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

type place string

func (p place) Dir() string { return string(p) }

func TestConcerned_OmitsFilesOutsideOfCrates(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "src"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "src", "lib.rs"), []byte("#![doc = include_str!(\"../README.md\")]\n"), 0o600))
	for file, want := range map[string]bool{
		"src/lib.rs": true, "Cargo.toml": true, "Cargo.lock": true, "README.md": true, "tests/data.json": true, "../other/src/lib.rs": true,
		"CHANGES.md": false, "web/a.ts": false, "../README.md": false,
	} {
		require.Equal(t, want, gate.Concerned(&testGate{}, place(root), []string{file}), file)
	}
	require.False(t, gate.Concerned(&formatGate{}, place(root), []string{"README.md"}))
}

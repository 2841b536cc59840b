package engine_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/search"
	"forge/engine"
	"forge/engine/atlas"
)

func TestAtlas_IsOpenedOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "zebra.go"), []byte("package zebra\n"), 0o600))
	for name, environ := range map[string][]string{"with git": os.Environ(), "without git": {"PATH="}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engine.New(engine.Options{StateDir: t.TempDir(), Environ: environ})
			t.Cleanup(e.Close)
			var all sync.WaitGroup
			var found [4]*atlas.Atlas
			for i := range found {
				all.Go(func() { found[i], _ = e.Atlas(t.Context(), root) })
			}
			all.Wait()
			require.NotNil(t, found[0])
			for _, a := range found {
				require.Same(t, found[0], a, "one for each root")
			}
			require.NoError(t, found[0].Wait(t.Context()))
			answer, err := found[0].Search(t.Context(), search.Query{Text: "zebra"})
			require.NoError(t, err)
			require.Equal(t, "zebra.go", answer.Hits[0].Path)

			e.Close()
			_, err = found[0].Search(t.Context(), search.Query{Text: "zebra"})
			require.ErrorIs(t, err, atlas.ErrClosed)
			_, err = e.Atlas(t.Context(), root)
			require.ErrorContains(t, err, "shutting down")
		})
	}
}

func TestAtlas_MissingFolderIsAnError(t *testing.T) {
	t.Parallel()
	e := engine.New(engine.Options{StateDir: t.TempDir(), Environ: os.Environ()})
	t.Cleanup(e.Close)
	root := filepath.Join(t.TempDir(), "late")
	_, err := e.Atlas(t.Context(), root)
	require.ErrorContains(t, err, "does not exist (any more)")
	require.NotContains(t, err.Error(), "FORGE_HOME")
	require.NoError(t, os.Mkdir(root, 0o700))
	_, err = e.Atlas(t.Context(), root)
	require.NoError(t, err, "a failure must not stick")
}

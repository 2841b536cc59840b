package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

func TestInFolder_IsReadLikeAnyField(t *testing.T) {
	t.Parallel()
	args, err := api.Decode(api.GC, raw(`{"folder":"file:///w","dryRun":true}`))
	require.NoError(t, err)
	require.Equal(t, &api.GCArgs{DryRun: true, InFolder: api.InFolder{Folder: "file:///w"}}, args)
	require.Equal(t, "file:///w", args.(*api.GCArgs).NamedFolder())
}

func TestFilePath_UndoesFileURI(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/w", "/a b/ä?#%25", "/x;y=z"} {
		require.Equal(t, path, api.FilePath(api.FileURI(path)))
	}
	require.Empty(t, api.FilePath("forge://spec/latest"))
	require.Empty(t, api.FilePath("%"))
}

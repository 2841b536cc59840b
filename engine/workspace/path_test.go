package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckPath(t *testing.T) {
	t.Parallel()
	good := []string{
		"a.go", "dir/a.go", ".gitignore", ".github/x.yml", "a..b", "..a", "with space", "ü/ñ", "git", "x.git", "a/.gitmodules",
		`back\slash`, "new\nline",
	}
	for _, path := range good {
		t.Run("good "+path, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, CheckPath(path))
		})
	}
	bad := []string{
		"", ".", "..", "/", "/etc/passwd", "../x", "a/../x", "a/..", "./a", "a//b", "a/", "nul\x00",
		".git", ".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".Git", ".git./config", ".git /x", "git~1/config",
		"GIT~1", ".g\u200cit/config", "\ufeff.git", ".git::$INDEX_ALLOCATION/config",
	}
	for _, path := range bad {
		t.Run("bad "+path, func(t *testing.T) {
			t.Parallel()
			var refused *PathError
			require.ErrorAs(t, CheckPath(path), &refused)
		})
	}
}

// Whatever passes stays below the root, by the rules of path/filepath, and has no .git in it.
func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "a/.git/b", "", "/", "a//b", ".GIT"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if CheckPath(path) != nil {
			return
		}
		require.True(t, filepath.IsLocal(filepath.FromSlash(path)))
		for _, part := range strings.Split(path, "/") {
			require.False(t, strings.EqualFold(part, ".git"))
		}
	})
}

func TestCheckRoot(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, CheckRoot(folder))
	require.ErrorIs(t, CheckRoot(filepath.Join(folder, "gone")), os.ErrNotExist)
	require.ErrorContains(t, CheckRoot(filepath.Join(folder, "gone")), "open it again")
	require.ErrorContains(t, CheckRoot(file), "is a file, not a folder")
}

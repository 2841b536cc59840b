package patch_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestCheckPath_RefusesPathsOutOfTheRoot(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"a", "a/b.go", ".gitignore", ".github/x.yml", "a/.gitmodules", "git", "a.git", "a.git/b", "..a", "a..b/c..", "Ünïcode/日本.txt",
		"a b/c (1).txt", "-x", "~/x", "ab:c", "git~2", ".gitx", "con",
		"dir/a.go", "..a", "x.git", "ü/ñ", "with space",
	} {
		t.Run("good "+good, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, patch.CheckPath(good))
		})
	}
	for _, bad := range []struct{ path, cause string }{
		{"", "empty"}, {".", "plain"}, {"./a", "plain"}, {"a/", "plain"}, {"a//b", "plain"}, {"a/./b", "plain"},
		{"..", "leaves"}, {"../a", "leaves"}, {"a/../../b", "leaves"}, {"a/..", "leaves"}, {"a/../b", "leaves"},
		{"/a", "absolute"}, {"//host/a", "absolute"}, {"C:/a", "drive"}, {"c:a", "drive"},
		{`a\b`, "backslash"}, {`..\a`, "backslash"}, {`\\host\a`, "backslash"},
		{"a\x00b", "control"}, {"a\nb", "control"}, {"a\tb", "control"}, {"a\x7f", "control"}, {"nul\x00", "control"}, {"/", "absolute"}, {"/etc/passwd", "absolute"}, {`back\slash`, "backslash"}, {"a\xff", "UTF-8"},
		{".git", "git"}, {".git/config", "git"}, {"a/b/.git/hooks/x", "git"}, {".GIT/x", "git"}, {".gIt", "git"},
		{".git./x", "git"}, {".git /x", "git"}, {".git::$INDEX_ALLOCATION/x", "git"}, {"GIT~1", "git"}, {"GIT~1/x", "git"}, {"git~1/config", "git"}, {"sub/.git/hooks/pre-commit", "git"}, {".Git", "git"}, {".g\u200cit/x", "git"}, {"\ufeff.git", "git"},
	} {
		t.Run("bad "+bad.path, func(t *testing.T) {
			t.Parallel()
			var refused *patch.PathError
			require.ErrorAs(t, patch.CheckPath(bad.path), &refused)
			require.Equal(t, bad.path, refused.Path)
			require.Contains(t, refused.Cause, bad.cause)
		})
	}
}

// Whatever passes stays below the root, by the rules of path/filepath, and has no .git in it.
func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "a/.git/b", "", "/", "a//b", ".GIT", `a\b`, "a\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if patch.CheckPath(p) != nil {
			return
		}
		require.True(t, fs.ValidPath(p))
		require.True(t, filepath.IsLocal(filepath.FromSlash(p)))
		for part := range strings.SplitSeq(p, "/") {
			require.False(t, strings.EqualFold(part, ".git"))
		}
	})
}

// InGit alone says nothing about other faults of a path.
func TestInGit_KnowsEverySpelling(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		".git": true, "a/.GIT/b": true, "git~1/x": true, "": false, "a/b": false, ".gitignore": false, "../a": false, "a\n": false,
	} {
		require.Equal(t, want, patch.InGit(path), path)
	}
}

package patch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"a", "a/b.go", ".gitignore", ".github/x.yml", "a/.gitmodules", "git", "a.git", "a.git/b", "..a", "a..b/c..", "Ünïcode/日本.txt",
		"a b/c (1).txt", "-x", "~/x", "ab:c", "git~2", ".gitx", "con",
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
		{"a\x00b", "control"}, {"a\nb", "control"}, {"a\tb", "control"}, {"a\x7f", "control"}, {"a\xff", "UTF-8"},
		{".git", "git"}, {".git/config", "git"}, {"a/b/.git/hooks/x", "git"}, {".GIT/x", "git"}, {".gIt", "git"},
		{".git./x", "git"}, {".git /x", "git"}, {".git::$INDEX_ALLOCATION/x", "git"}, {"GIT~1/x", "git"}, {".g\u200cit/x", "git"}, {"\ufeff.git", "git"},
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

// A patch made by another front-end than Parse goes through the same door.
func TestResolveChecksPaths(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]patch.FileOp{
		"path":        {Kind: patch.Create, Path: "../a"},
		"destination": {Kind: patch.Move, Path: "a", To: ".git/a"},
		"twice":       {Kind: patch.Move, Path: "a", To: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := patch.Resolve(patch.Patch{Ops: []patch.FileOp{op}}, memory{"a": "a\n"})
			require.ErrorAs(t, err, new(*patch.PathError))
		})
	}
}

//go:build unix

package gitdir

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rules that git receives instead of the files mean what the files mean.
func TestRulesOf_MatchTheIgnoreFiles(t *testing.T) {
	t.Parallel()
	paths := []string{
		"a.log", "keep.log", "b/a.log", "b/keep.log", "b/c/a.log", "b/c/d/a.log", "b/out/x", "out/x", "b/c/out/x", "#x", "!x", "b/#x", "b/!x",
		"[b]/a.log", "[b]/x", "b/x y ", "b/doc/a.txt", "b/doc/deep/a.txt", "b*c/x", "b*c/a.log", "bxc/x", "b/é.txt",
	}
	root := t.TempDir()
	for _, name := range paths {
		put(t, root, name, "x")
	}
	r := NewFiles(open(t, root))
	for _, rules := range []map[string]string{
		{".": "*.log\n!keep.log\n"},
		{".": "*.log\n", "b": "!a.log\n"},
		{"b": "*.log\n!keep.log\n", "b/c": "!*.log\n"},
		{"b": "/a.log\n"}, {"b": "c/a.log\n"}, {"b": "out/\n"}, {"b": "/out/\n"}, {"b": "c/out/\n"}, {".": "out/\n!b/out/\n"},
		{"b": "**/a.log\n"}, {"b": "c/**/a.log\n"}, {"b": "doc/*\n!doc/a.txt\n"}, {"b": "doc/**\n"}, {"b": "d\n"},
		{".": "\\#x\n\\!x\n"}, {"b": "\\#x\n\\!x\n"}, {"b": "# a comment\n\n   \n"}, {"b": "x\\ y\\ \n"}, {"b": "*.log\r\n!keep.log\r\n"},
		{"[b]": "*.log\n"}, {"b*c": "x\n"}, {"b": "\uFEFF*.log\n"}, {"b": "*\n!x\n"}, {"b": "/*\n!/c\n"}, {".": "/b/*\n!/b/c/\n", "b/c": "d/\n"},
		{"b": "a.log/\n"}, {"b": "*.log   \n"}, {"b": "é*\n"}, {"b": "[a-k]*.log\n"}, {"b": "!a.log\n*.log\n"},
	} {
		for dir, text := range rules {
			put(t, root, filepath.Join(dir, ".gitignore"), text)
		}
		want, closed, err := r.Candidates(t.Context())
		require.NoError(t, err)
		require.Empty(t, closed)
		put(t, root, "zz/x", "x")
		require.NoError(t, syscall.Mkfifo(filepath.Join(root, "zz", ".gitignore"), 0o600))
		got, closed, err := r.Candidates(t.Context())
		require.NoError(t, err)
		require.Len(t, closed, 1)
		require.Equal(t, append(want, "zz/x"), slices.DeleteFunc(got, func(n string) bool { return n == "zz/.gitignore" }), "%q", rules)
		require.NoError(t, os.RemoveAll(filepath.Join(root, "zz")))
		for dir := range rules {
			require.NoError(t, os.Remove(filepath.Join(root, dir, ".gitignore")))
		}
	}
}

//go:build unix

package shadow

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// odd puts something in the place of a .gitignore that git would wait for, or read for ever.
var odd = map[string]func(t *testing.T, name string){
	"pipe": func(t *testing.T, name string) {
		t.Helper()
		require.NoError(t, syscall.Mkfifo(name, 0o600))
	},
	"link to a device": func(t *testing.T, name string) {
		t.Helper()
		require.NoError(t, os.Symlink("/dev/zero", name))
	},
	"two gigabytes": func(t *testing.T, name string) {
		t.Helper()
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		require.NoError(t, os.Truncate(name, 2<<30))
	},
}

func TestFiles_AnOddGitignoreBlocksNothing(t *testing.T) {
	t.Parallel()
	for name, lay := range odd {
		for _, at := range []string{".", "sub", "other/deep"} {
			t.Run(name+" in "+at, func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				put(t, root, "other/deep/file.txt", "x")
				put(t, root, "other/.gitignore", "*.log\n")
				put(t, root, "other/left.log", "x")
				put(t, root, "sub/file.txt", "x")
				put(t, root, "file.txt", "x")
				lay(t, filepath.Join(root, at, ".gitignore"))
				r := open(t, root)
				names, closed, err := r.candidates(t.Context())
				require.NoError(t, err)
				names = slices.DeleteFunc(names, func(n string) bool { return filepath.Base(n) == ".gitignore" })
				require.Equal(t, []string{"file.txt", "other/deep/file.txt", "sub/file.txt"}, names)
				require.Len(t, closed, 1)
				require.Equal(t, filepath.ToSlash(filepath.Join(at, ".gitignore")), closed[0].Path)
				require.Contains(t, closed[0].Reason, "its rules are left out: it is ")

				s := snap(t, r, map[string]string{"other/new.log": "text", "other/new.txt": "text"})
				require.Contains(t, s.Skipped, closed[0])
				require.Contains(t, s.Skipped, Skipped{"other/new.log", "it is ignored"})
				tree := checkout(t, r, s)
				text, err := tree.ReadFile("other/new.txt")
				require.NoError(t, err)
				require.Equal(t, "text", string(text))
			})
		}
	}
}

// Code of a scratch tree makes a pipe where git looks for rules and attributes.
func TestCommit_APipeThatATestMadeBlocksNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "sub/file.txt", "x")
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	for _, name := range []string{".gitignore", ".gitattributes", "sub/.gitignore", "sub/.gitattributes"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(tree.Dir(), name), 0o600))
	}
	put(t, tree.Dir(), "sub/file.txt", "new")
	put(t, tree.Dir(), "sub/more.txt", "new")
	changes, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes.Files, 2)
}

// What git is given in place of the files means what they mean.
func TestRulesOf_MeanWhatTheFilesMean(t *testing.T) {
	t.Parallel()
	paths := []string{
		"a.log", "keep.log", "b/a.log", "b/keep.log", "b/c/a.log", "b/c/d/a.log", "b/out/x", "out/x", "b/c/out/x", "#x", "!x", "b/#x", "b/!x",
		"[b]/a.log", "[b]/x", "b/x y ", "b/doc/a.txt", "b/doc/deep/a.txt", "b*c/x", "b*c/a.log", "bxc/x", "b/é.txt",
	}
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
		root := t.TempDir()
		for _, name := range paths {
			put(t, root, name, "x")
		}
		for dir, text := range rules {
			put(t, root, filepath.Join(dir, ".gitignore"), text)
		}
		r := open(t, root)
		want, closed, err := r.candidates(t.Context())
		require.NoError(t, err)
		require.Empty(t, closed)
		put(t, root, "zz/x", "x")
		require.NoError(t, syscall.Mkfifo(filepath.Join(root, "zz", ".gitignore"), 0o600))
		got, closed, err := r.candidates(t.Context())
		require.NoError(t, err)
		require.Len(t, closed, 1)
		require.Equal(t, append(want, "zz/x"), slices.DeleteFunc(got, func(n string) bool { return n == "zz/.gitignore" }), "%q", rules)
	}
}

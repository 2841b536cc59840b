//go:build unix

package shadow

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gitdir"
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
				names, closed, err := r.Files.Candidates(t.Context())
				require.NoError(t, err)
				names = slices.DeleteFunc(names, func(n string) bool { return filepath.Base(n) == ".gitignore" })
				require.Equal(t, []string{"file.txt", "other/deep/file.txt", "sub/file.txt"}, names)
				require.Len(t, closed, 1)
				require.Equal(t, filepath.ToSlash(filepath.Join(at, ".gitignore")), closed[0].Path)
				require.Contains(t, closed[0].Reason, "its rules are left out: it is ")

				s := snap(t, r, map[string]string{"other/new.log": "text", "other/new.txt": "text"})
				require.Contains(t, s.Skipped, closed[0])
				require.Contains(t, s.Skipped, gitdir.Skipped{Path: "other/new.log", Reason: "it is ignored"})
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

package shadow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// TestChanges_StartGitForUnknownFilesOnly: a tree that holds nothing but what Forge wrote needs no git to be compared. Whatever else
// comes into it is found, as the ignore rules have it.
func TestChanges_StartGitForUnknownFilesOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    func(t *testing.T, dir string)
		asked bool
		want  []string
	}{
		"nothing":          {do: func(*testing.T, string) {}},
		"an empty folder":  {do: func(t *testing.T, dir string) { require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o700)) }},
		"a file is gone":   {do: func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "a.go"))) }},
		"an installed one": {do: func(t *testing.T, dir string) { put(t, dir, "node_modules/.cache/x", "x") }},
		"a new file":       {func(t *testing.T, dir string) { put(t, dir, "deep/er/new.go", "x") }, true, []string{"deep/er/new.go"}},
		"an ignored file":  {func(t *testing.T, dir string) { put(t, dir, "cover.out", "x") }, true, nil},
		"a repository":     {func(t *testing.T, dir string) { put(t, dir, "inner/.git/HEAD", "ref: refs/heads/main\n") }, true, nil},
		"a folder as a file": {func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "a.go")))
			put(t, dir, "a.go/b.go", "x")
		}, true, []string{"a.go/b.go"}},
		"a folder as a link": {func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, ".forgotten")))
			require.NoError(t, os.Symlink(".forgotten", filepath.Join(dir, "sub")))
		}, true, []string{".forgotten/b.go", "sub"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			put(t, root, ".gitignore", "*.out\nnode_modules\n")
			put(t, root, "package.json", "{}")
			put(t, root, "node_modules/lib/index.js", "x")
			put(t, root, "a.go", "a")
			put(t, root, "sub/b.go", "b")
			r := open(t, root)
			tree := checkout(t, r, snap(t, r, nil))
			require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
				{Kind: patch.Create, Path: "made.go", After: "made"}, {Kind: patch.Create, Path: "made.out", After: "ignored, but applied"},
			}}))
			c.do(t, tree.Dir())

			got, err := tree.added(t.Context())
			require.NoError(t, err)
			require.ElementsMatch(t, append(c.want, "made.go", "made.out"), got)
			require.Equal(t, c.asked, tree.held.indexed, "git needs an index to be asked")
		})
	}
}

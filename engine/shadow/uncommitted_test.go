package shadow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/workspace"
	"forge/patch"
)

// uncommitted is what a folder has over its last commit, with these buffers open, and the proof that asking changed
// nothing there.
func uncommitted(t *testing.T, root string, buffers map[string]string) (head string, found []string) {
	t.Helper()
	before := fingerprint(t, root)
	r := open(t, root)
	taken, err := r.Snapshot(t.Context(), seen(root, buffers))
	require.NoError(t, err)
	head, set, err := r.Uncommitted(t.Context(), taken.Commit)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
	kinds := map[patch.Kind]string{patch.Create: "new ", patch.Update: "", patch.Delete: "gone "}
	for _, f := range set.Files {
		found = append(found, kinds[f.Kind]+f.Path+": "+f.Before+"|"+f.After)
	}
	return head, found
}

func TestUncommitted(t *testing.T) {
	t.Parallel()
	nothing := func(*testing.T, string) {}
	for name, c := range map[string]struct {
		make    func(t *testing.T, root string)
		buffers map[string]string
		below   string
		want    []string
	}{
		"nothing": {nothing, nil, "", nil},
		"edited, new and deleted": {func(t *testing.T, root string) {
			put(t, root, "a.txt", "mine")
			put(t, root, "new.txt", "n")
			require.NoError(t, os.Remove(filepath.Join(root, "sub/c.txt")))
		}, nil, "", []string{"a.txt: aa\n|mine", "new new.txt: |n", "gone sub/c.txt: b\n|"}},
		"typed and not saved": {nothing, map[string]string{"a.txt": "typed"}, "", []string{"a.txt: aa\n|typed"}},
		"staged is not committed": {func(t *testing.T, root string) {
			put(t, root, "a.txt", "staged")
			git(t, root, "add", "a.txt")
		}, nil, "", []string{"a.txt: aa\n|staged"}},
		"ignored, though it was committed": {func(t *testing.T, root string) {
			put(t, root, ".gitignore", "a.txt\n")
		}, nil, "", []string{"new .gitignore: |a.txt\n"}},
		"other line ends, and binary": {func(t *testing.T, root string) {
			put(t, root, "a.txt", "aa\r\n")
			put(t, root, "b.bin", "\x00")
		}, nil, "", nil},
		"a folder below the top": {func(t *testing.T, root string) {
			put(t, root, "a.txt", "elsewhere")
			put(t, root, "sub/c.txt", "here")
		}, nil, "sub", []string{"c.txt: b\n|here"}},
	} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run(name+" "+format, func(t *testing.T) {
				t.Parallel()
				root := threeCommits(t, "--object-format="+format)
				c.make(t, root)
				head, found := uncommitted(t, filepath.Join(root, c.below), c.buffers)
				require.NotEmpty(t, head)
				require.Equal(t, c.want, found)
			})
		}
	}
}

func TestNothingToCompareWith(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, root string){
		"no repository": func(*testing.T, string) {},
		"no commit":     func(t *testing.T, root string) { git(t, root, "init", "-q") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			put(t, root, "a.txt", "a")
			make(t, root)
			head, found := uncommitted(t, root, nil)
			require.Empty(t, head)
			require.Empty(t, found)
		})
	}
}

// A commit whose objects are damaged is an error, and never "nothing has changed".
func TestADamagedCommitIsNoDifference(t *testing.T) {
	t.Parallel()
	root := threeCommits(t)
	r := open(t, root)
	taken, err := r.Snapshot(t.Context(), workspace.Snapshot{Root: root})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(root, ".git", "objects")))
	_, _, err = r.Uncommitted(t.Context(), taken.Commit)
	require.Error(t, err)
}

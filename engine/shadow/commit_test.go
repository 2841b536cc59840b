package shadow

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/internal/sample"
	"forge/patch"
)

func update(path, after string) patch.ChangeSet {
	return patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: path, After: after}}}
}

// A run goes forward step by step, and back to any of them, in its own tree or another one.
func TestStepsOfATree(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	put(t, root, ".gitignore", "*.out\n")
	put(t, root, "f", "0\n")
	put(t, root, "gone", "0\n")
	put(t, root, "run.sh", "0\n")
	require.NoError(t, os.Symlink("f", filepath.Join(root, "link")))
	r := openIn(t, state, root)
	before := fingerprint(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	base := everything(t, tree.Dir())
	same, err := tree.Commit(t.Context(), "nothing")
	require.NoError(t, err)
	require.Equal(t, tree.Snapshot().Commit, same)

	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Update, Path: "f", After: "1\n"}, {Kind: patch.Delete, Path: "gone"},
		{Kind: patch.Create, Path: "dir/new", After: "1\n"}, {Kind: patch.Create, Path: "wanted.out", After: "ignored, but applied\n"},
	}}))
	put(t, tree.Dir(), "cover.out", "ignored")
	put(t, tree.Dir(), "inner/.git/HEAD", "x")
	put(t, tree.Dir(), "inner/file", "x")
	require.NoError(t, os.Chmod(filepath.Join(tree.Dir(), "run.sh"), 0o755)) //nolint:gosec // a program
	require.NoError(t, os.Remove(filepath.Join(tree.Dir(), "link")))
	require.NoError(t, os.Symlink("run.sh", filepath.Join(tree.Dir(), "link")))
	one, err := tree.Commit(t.Context(), "tier one")
	require.NoError(t, err)
	require.NotEqual(t, same, one)
	again, err := tree.Commit(t.Context(), "tier one, again")
	require.NoError(t, err)
	require.Equal(t, one, again)
	want := map[string]string{
		".gitignore": "*.out\n", "f": "1\n", "dir/new": "1\n", "wanted.out": "ignored, but applied\n", "run.sh": "x 0\n", "link": "-> run.sh",
	}

	require.NoError(t, tree.Apply(update("f", "2\n")))
	two, err := tree.Commit(t.Context(), "tier two")
	require.NoError(t, err)
	require.NoError(t, tree.Apply(update("f", "a step that fails\n")))
	require.NoError(t, tree.ResetTo(t.Context(), two))
	require.Equal(t, "2\n", files(t, tree.Dir())["f"])
	require.NoError(t, tree.ResetTo(t.Context(), one))
	require.Empty(t, cmp.Diff(want, files(t, tree.Dir())))

	changes, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]patch.FileChange{
		{Kind: patch.Create, Path: "dir/new", After: "1\n"}, {Kind: patch.Update, Path: "f", Before: "0\n", After: "1\n"},
		{Kind: patch.Delete, Path: "gone", Before: "0\n"}, {Kind: patch.Create, Path: "wanted.out", After: "ignored, but applied\n"},
	}, changes.Files), "compared with what the run began with")
	diff, err := r.Diff(t.Context(), tree.Snapshot().Commit, one)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(changes, diff))
	list, err := tree.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{".gitignore", "dir/new", "f", "run.sh", "wanted.out"}, list)

	require.NoError(t, tree.Reset(t.Context()))
	require.Empty(t, cmp.Diff(base, everything(t, tree.Dir())))
	require.NoError(t, tree.Close())

	// Another process goes on from a step of the first.
	other := openIn(t, state, root)
	resumed := checkout(t, other, tree.Snapshot())
	require.NoError(t, resumed.ResetTo(t.Context(), two))
	want["f"] = "2\n"
	require.Empty(t, cmp.Diff(want, files(t, resumed.Dir())))
	require.Empty(t, cmp.Diff(before, fingerprint(t, root)))

	require.Error(t, resumed.ResetTo(t.Context(), strings.Repeat("0", 40)))
	require.Error(t, resumed.ResetTo(t.Context(), "--all"))
	_, err = r.Diff(t.Context(), "HEAD", one)
	require.Error(t, err)
}

// Same size, same tick: what stat alone does not show is in the commit all the same.
func TestACommitSeesEditsOfTheSameSize(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "0")
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	for i := range sample.Count(6, 20) {
		text := string(rune('a' + i))
		require.NoError(t, tree.Apply(update("f", text)))
		id, err := tree.Commit(t.Context(), "step")
		require.NoError(t, err)
		set, err := r.Diff(t.Context(), tree.Snapshot().Commit, id)
		require.NoError(t, err)
		require.Len(t, set.Files, 1)
		require.Equal(t, text, set.Files[0].After)
	}
}

// What cannot be in a commit is no obstacle to one.
func TestACommitOfAMess(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"folder", "pipe", "large", "d/file"} {
		put(t, root, name, "0\n")
	}
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	at := func(name string) string { return filepath.Join(tree.Dir(), name) }
	require.NoError(t, os.Remove(at("folder")))
	put(t, tree.Dir(), "folder/inside", "x\n")
	require.NoError(t, os.Remove(at("pipe")))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	require.NoError(t, os.Truncate(at("large"), MaxFileSize+1))
	require.NoError(t, os.RemoveAll(at("d")))
	put(t, tree.Dir(), "d", "a file\n")
	put(t, tree.Dir(), "huge", "")
	require.NoError(t, os.Truncate(at("huge"), MaxFileSize+1))
	id, err := tree.Commit(t.Context(), "mess")
	require.NoError(t, err)
	require.NoError(t, tree.ResetTo(t.Context(), id))
	require.Equal(t, map[string]string{"folder/inside": "x\n", "large": "0\n", "d": "a file\n"}, files(t, tree.Dir()))
}

func TestTwoTreesAreMerged(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "both", "1\n2\n3\n4\n5\n")
	put(t, root, "clash", "1\n")
	put(t, root, "deleted", "1\n")
	r := open(t, root)
	s := snap(t, r, nil)
	step := func(changes ...patch.FileChange) string {
		tree := checkout(t, r, s)
		require.NoError(t, tree.Apply(patch.ChangeSet{Files: changes}))
		id, err := tree.Commit(t.Context(), "step")
		require.NoError(t, err)
		return id
	}
	ours := step(patch.FileChange{Path: "both", After: "one\n2\n3\n4\n5\n"}, patch.FileChange{Path: "clash", After: "ours\n"},
		patch.FileChange{Kind: patch.Delete, Path: "deleted"}, patch.FileChange{Kind: patch.Create, Path: "mine", After: "m\n"},
		patch.FileChange{Kind: patch.Create, Path: "same", After: "s\n"})
	theirs := step(patch.FileChange{Path: "both", After: "1\n2\n3\n4\nfive\n"}, patch.FileChange{Path: "clash", After: "theirs\n"},
		patch.FileChange{Path: "deleted", After: "changed\n"}, patch.FileChange{Kind: patch.Create, Path: "same", After: "s\n"})
	set, conflicts, err := r.Merge(t.Context(), s.Commit, ours, theirs)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]patch.FileChange{
		{Kind: patch.Update, Path: "both", Before: "1\n2\n3\n4\n5\n", After: "one\n2\n3\n4\nfive\n"},
		{Kind: patch.Update, Path: "clash", Before: "1\n", After: "ours\n"},
		{Kind: patch.Delete, Path: "deleted", Before: "1\n"},
		{Kind: patch.Create, Path: "mine", After: "m\n"}, {Kind: patch.Create, Path: "same", After: "s\n"},
	}, set.Files))
	require.Len(t, conflicts, 2)
	require.Equal(t, "clash", conflicts[0].Path)
	require.Equal(t, "theirs\n", conflicts[0].Places[0].Theirs)
	require.Equal(t, "deleted", conflicts[1].Path)
	require.Empty(t, conflicts[1].Places)
	require.Equal(t, "changed\n", conflicts[1].Theirs.After)
}

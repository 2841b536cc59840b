package activity

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/patch"
)

// attempted is a scratch tree of a folder in which there is made.txt less, changed.txt, gone.txt and same.txt: an attempt has made, changed and
// removed the first three.
func attempted(t *testing.T) *shadow.Tree {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"changed.txt", "gone.txt", "same.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(name+"\n"), 0o600))
	}
	repo, err := shadow.Open(t.Context(), sandbox.New(sandbox.Options{Environ: os.Environ()}), t.TempDir(), root)
	require.NoError(t, err)
	taken, err := repo.Snapshots.Take(t.Context(), workspace.Snapshot{Root: root})
	require.NoError(t, err)
	tree, err := repo.Trees.Checkout(t.Context(), taken)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tree.Close() })
	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Update, Path: "changed.txt", Before: "changed.txt\n", After: "by the attempt\n"},
		{Kind: patch.Delete, Path: "gone.txt", Before: "gone.txt\n"},
		{Kind: patch.Create, Path: "made.txt", After: "made\n"},
	}}))
	return tree
}

func permitted(tree *shadow.Tree) Commands {
	return Commands{sandbox.New(sandbox.Options{Environ: os.Environ()}), tool.Grants{Commands: [][]string{{"sh", "-c"}, {"cat"}, {"no-such-program"}}}, tree}
}

// A command's changes are compared with the attempt's tree, not with the snapshot.
func TestCommands_ChangesAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   []patch.FileChange
	}{
		"nothing":         {"cat changed.txt made.txt", nil},
		"a new file":      {"echo x > x.txt", []patch.FileChange{{Kind: patch.Create, Path: "x.txt", After: "x\n"}}},
		"one of before":   {"echo x > same.txt", []patch.FileChange{{Kind: patch.Update, Path: "same.txt", Before: "same.txt\n", After: "x\n"}}},
		"changed again":   {"echo x > changed.txt", []patch.FileChange{{Kind: patch.Update, Path: "changed.txt", Before: "by the attempt\n", After: "x\n"}}},
		"changed back":    {"echo changed.txt > changed.txt", []patch.FileChange{{Kind: patch.Update, Path: "changed.txt", Before: "by the attempt\n", After: "changed.txt\n"}}},
		"made again":      {"echo x > made.txt", []patch.FileChange{{Kind: patch.Update, Path: "made.txt", Before: "made\n", After: "x\n"}}},
		"made and gone":   {"rm made.txt", []patch.FileChange{{Kind: patch.Delete, Path: "made.txt", Before: "made\n"}}},
		"changed, gone":   {"rm changed.txt", []patch.FileChange{{Kind: patch.Delete, Path: "changed.txt", Before: "by the attempt\n"}}},
		"gone, and back":  {"echo gone.txt > gone.txt", []patch.FileChange{{Kind: patch.Create, Path: "gone.txt", After: "gone.txt\n"}}},
		"gone, and other": {"echo x > gone.txt", []patch.FileChange{{Kind: patch.Create, Path: "gone.txt", After: "x\n"}}},
		"no text any more": {`printf 'a\000b' > changed.txt; printf 'a\000b' > made.txt; echo x > x.txt`,
			[]patch.FileChange{{Kind: patch.Create, Path: "x.txt", After: "x\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := attempted(t)
			before, err := tree.Changes(t.Context())
			require.NoError(t, err)
			ran, err := permitted(tree).Run(t.Context(), []string{"sh", "-c", c.script})
			require.NoError(t, err)
			require.Zero(t, ran.Exit, ran.Output)
			require.Empty(t, cmp.Diff(c.want, ran.Change.Files))
			require.Len(t, before.Files, 3)
		})
	}
}

// The end of a command is reported; one that cannot be started, or takes too long, breaks no run.
func TestCommands_EndsAreReported(t *testing.T) {
	t.Parallel()
	tree := attempted(t)
	run := permitted(tree)
	ran, err := run.Run(t.Context(), []string{"sh", "-c", "echo out; echo err >&2; exit 3"})
	require.NoError(t, err)
	require.Equal(t, tool.Ran{Exit: 3, Output: "out\nerr\n"}, ran)
	ran, err = run.Run(t.Context(), []string{"sh", "-c", "yes | head -c 3000000"})
	require.NoError(t, err)
	require.True(t, ran.Cut)
	require.Len(t, ran.Output, maxCommandOutput)
	ran, err = run.Run(t.Context(), []string{"no-such-program"})
	require.NoError(t, err)
	require.Contains(t, ran.Failed, `could not start "no-such-program"`)
	ran, err = run.Run(t.Context(), []string{"rm", "-rf", "."})
	require.NoError(t, err)
	require.Contains(t, ran.Failed, "not among the commands")
	ending, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("over"))
	_, err = run.Run(ending, []string{"sh", "-c", "sleep 1000"})
	require.ErrorIs(t, err, context.Canceled)
}

// Links lead no argument out of the tree, whatever is behind them.
func TestCommands_LinksDoNotLeadOut(t *testing.T) {
	t.Parallel()
	tree := attempted(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(tree.Dir(), "out")))
	require.NoError(t, os.Symlink("same.txt", filepath.Join(tree.Dir(), "in")))
	for argument, out := range map[string]bool{"out": true, "out/new": true, "--file=out/x": true, "in": false, "same.txt/below": false, "new": false, "-": false} {
		ran, err := permitted(tree).Run(t.Context(), []string{"cat", argument})
		require.NoError(t, err)
		if out {
			require.Contains(t, ran.Failed, "leads out of the tree by a link", argument)
		} else {
			require.Empty(t, ran.Failed, argument)
		}
	}
}

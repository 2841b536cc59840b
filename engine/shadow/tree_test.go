package shadow

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
	"forge/patch"
)

func TestChanges_AreThoseOfEditsAndTools(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, ".gitignore", "*.out\ngenerated/\n")
	for _, path := range []string{"update.go", "delete.go", "move.go", "same.go", "touched.go", "crlf.go"} {
		put(t, root, path, path+"\r\n")
	}
	put(t, root, "binary.dat", "\x00old")
	put(t, root, "latin1.txt", "caf\xe9")
	require.NoError(t, os.Symlink("same.go", filepath.Join(root, "link")))
	r := open(t, root)
	before := fingerprint(t, root)
	tree := checkout(t, r, snap(t, r, map[string]string{"update.go": "typed\n"}))

	none, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, none.Files)

	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Update, Path: "update.go", After: "updated\n"},
		{Kind: patch.Delete, Path: "delete.go"},
		{Kind: patch.Move, From: "move.go", Path: "to/moved.go", After: "moved\n"},
		{Kind: patch.Create, Path: "deep/er/new.go", After: "new"},
		{Kind: patch.Create, Path: "generated/wanted.go", After: "ignored, but applied"},
		{Kind: patch.Update, Path: "touched.go", After: "touched.go\r\n"},
	}}))
	// The leftovers of tools: text, ignored text, binaries, a repository, links.
	put(t, tree.Dir(), "golden.txt", "by a tool\n")
	put(t, tree.Dir(), "cover.out", "ignored")
	put(t, tree.Dir(), "program", "\x7fELF\x00")
	put(t, tree.Dir(), "binary.dat", "\x00new")
	put(t, tree.Dir(), "latin1.txt", "caf\xe9s")
	put(t, tree.Dir(), "inner/.git/HEAD", "ref: refs/heads/main\n")
	put(t, tree.Dir(), "inner/file", "x")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(tree.Dir(), "leak")))
	require.NoError(t, os.Remove(filepath.Join(tree.Dir(), "link")))

	got, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]patch.FileChange{
		{Kind: patch.Create, Path: "deep/er/new.go", After: "new"},
		{Kind: patch.Delete, Path: "delete.go", Before: "delete.go\r\n"},
		{Kind: patch.Create, Path: "generated/wanted.go", After: "ignored, but applied"},
		{Kind: patch.Create, Path: "golden.txt", After: "by a tool\n"},
		{Kind: patch.Delete, Path: "move.go", Before: "move.go\r\n"},
		{Kind: patch.Create, Path: "to/moved.go", After: "moved\n"},
		{Kind: patch.Update, Path: "update.go", Before: "typed\n", After: "updated\n"},
	}, got.Files))
	require.Empty(t, cmp.Diff(before, fingerprint(t, root)), "the user's folder is as it was")
}

// A file that a set moves keeps its permissions, whether the set has it as a move or as the result of a run has it.
func TestApply_KeepsThePermissionsOfMovedFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	script := "#!/bin/sh\nset -e\nmake release\n"
	for _, name := range []string{"move.sh", "made.sh", "plain.txt"} {
		put(t, root, name, script+"# "+name+"\n")
		if name != "plain.txt" {
			require.NoError(t, os.Chmod(filepath.Join(root, name), 0o700)) //nolint:gosec // a program
		}
	}
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Delete, Path: "made.sh", Before: script + "# made.sh\n"},
		{Kind: patch.Move, From: "move.sh", Path: "scripts/move.sh", After: "another text\n"},
		{Kind: patch.Create, Path: "scripts/made.sh", After: "#!/bin/sh\nset -e\ncd ..\nmake release\n"},
		{Kind: patch.Create, Path: "scripts/new.txt", After: "new\n"},
	}}))
	for name, program := range map[string]bool{"scripts/move.sh": true, "scripts/made.sh": true, "scripts/new.txt": false, "plain.txt": false} {
		info, err := os.Stat(filepath.Join(tree.Dir(), name))
		require.NoError(t, err)
		require.Equal(t, program, info.Mode().Perm()&0o100 != 0, name)
	}
}

func TestApply_PutsAFolderInThePlaceOfAFileAndBack(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "conf", "old")
	put(t, root, "tools/a/b", "old")
	put(t, root, "moved", "old")
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	set := patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Delete, Path: "conf", Before: "old"},
		{Kind: patch.Create, Path: "conf/main", After: "new"},
		{Kind: patch.Move, From: "moved", Path: "moved/here", Before: "old", After: "old"},
		{Kind: patch.Create, Path: "tools", After: "new"},
		{Kind: patch.Delete, Path: "tools/a/b", Before: "old"},
	}}
	require.NoError(t, tree.Apply(set))
	got, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]patch.FileChange{
		set.Files[0], set.Files[1], {Kind: patch.Delete, Path: "moved", Before: "old"},
		{Kind: patch.Create, Path: "moved/here", After: "old"}, set.Files[3], set.Files[4],
	}, got.Files))
	require.NoError(t, tree.Reset(t.Context()))
	got, err = tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, got.Files)
}

// A change of the same length in the same clock tick is the one that stat alone does not show.
func TestChanges_SeeEditsOfTheSameSize(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "0")
	r := open(t, root)
	s := snap(t, r, nil)
	for range testkit.Cases(5, 20) {
		tree := checkout(t, r, s)
		require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "f", After: "1"}}}))
		set, err := tree.Changes(t.Context())
		require.NoError(t, err)
		require.Len(t, set.Files, 1)
		require.NoError(t, tree.Reset(t.Context()))
		require.Equal(t, map[string]string{"f": "0"}, files(t, tree.Dir()))
	}
}

func TestApply_RefusesPathsOutOfTheTree(t *testing.T) {
	t.Parallel()
	outside, root := t.TempDir(), t.TempDir()
	put(t, outside, "secret", "secret")
	put(t, root, "f", "1")
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "dir")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "leak")))
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	before := files(t, tree.Dir())
	for _, change := range []patch.FileChange{
		{Kind: patch.Create, Path: "../x"}, {Kind: patch.Create, Path: "/x"}, {Kind: patch.Update, Path: ".git/config"},
		{Kind: patch.Create, Path: "sub/.GIT/hooks/pre-commit"}, {Kind: patch.Update, Path: "leak", After: "x"},
		{Kind: patch.Create, Path: "dir/new", After: "x"}, {Kind: patch.Delete, Path: "dir/secret"},
		{Kind: patch.Move, From: "../x", Path: "y"}, {Kind: patch.Move, From: "f", Path: "dir/f"},
		{Kind: patch.Update, Path: ".", After: "x"}, {Kind: patch.Create, Path: "f/below", After: "x"},
	} {
		require.Error(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{change}}), "%+v", change)
		_, err := tree.ReadFile(change.Path)
		require.Error(t, err, change.Path)
	}
	require.Empty(t, cmp.Diff(before, files(t, tree.Dir())))
	require.Equal(t, map[string]string{"secret": "secret"}, files(t, outside))

	_, err := tree.ReadFile("missing")
	require.ErrorIs(t, err, fs.ErrNotExist)
	text, err := tree.ReadFile("f")
	require.NoError(t, err)
	require.Equal(t, "1", string(text))
}

// One bad path in a change set, and no file is written.
func TestApply_ChecksBeforeItWrites(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "1")
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	require.Error(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Update, Path: "f", After: "2"}, {Kind: patch.Create, Path: "../x"},
	}}))
	require.Equal(t, map[string]string{"f": "1"}, files(t, tree.Dir()))
}

func TestReset_BringsTheSnapshotBack(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, ".gitignore", "*.out\n")
	put(t, root, "f", "1")
	put(t, root, "dir/g", "1")
	put(t, root, "run.sh", "1")
	require.NoError(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755)) //nolint:gosec // a program
	require.NoError(t, os.Symlink("f", filepath.Join(root, "link")))
	r := open(t, root)
	tests := []struct {
		name string
		mess func(t *testing.T, dir string)
	}{
		{"nothing", func(*testing.T, string) {}},
		{"changed", func(t *testing.T, dir string) { put(t, dir, "f", "2"); put(t, dir, "dir/g", "22") }},
		{"deleted", func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(filepath.Join(dir, "dir"))) }},
		{"added", func(t *testing.T, dir string) { put(t, dir, "new/deep/file", "x"); put(t, dir, "cover.out", "x") }},
		{"an empty folder", func(t *testing.T, dir string) { require.NoError(t, os.MkdirAll(filepath.Join(dir, "e/f"), 0o750)) }},
		{"repositories", func(t *testing.T, dir string) {
			git(t, dir, "init", "-q")
			git(t, filepath.Join(dir, "dir"), "init", "-q")
		}},
		{"a file became a folder", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "f")))
			put(t, dir, "f/x", "x")
		}},
		{"a folder became a file", func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "dir")))
			put(t, dir, "dir", "x")
		}},
		{"a folder became a link", func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "dir")))
			require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "dir")))
		}},
		{"a link leads elsewhere", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "link")))
			require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
		}},
		{"modes", func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o600))
			require.NoError(t, os.Chmod(filepath.Join(dir, "f"), 0o000))
			put(t, dir, "closed/file", "x")
			require.NoError(t, os.Chmod(filepath.Join(dir, "closed"), 0o500)) //nolint:gosec // a folder
			require.NoError(t, os.Chmod(filepath.Join(dir, "dir"), 0o000))
		}},
		{"all gone", func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(dir)) }},
		{"a lock that a cancelled git left", func(t *testing.T, dir string) { put(t, filepath.Dir(dir), "index.lock", "") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree := checkout(t, r, snap(t, r, nil))
			want := fingerprintWithoutTimes(t, tree.Dir())
			tt.mess(t, tree.Dir())
			require.NoError(t, tree.Reset(t.Context()))
			require.Empty(t, cmp.Diff(want, fingerprintWithoutTimes(t, tree.Dir())))
			set, err := tree.Changes(t.Context())
			require.NoError(t, err)
			require.Empty(t, set.Files)
		})
	}
}

// fingerprintWithoutTimes has folders in it as well: an empty one that is left counts.
func fingerprintWithoutTimes(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	walk(t, dir, func(path string, info fs.FileInfo, content string) {
		if info.IsDir() {
			found[path] = "folder"
			return
		}
		found[path] = info.Mode().String() + content
	})
	return found
}

func TestSweep_RemovesOnlyTreesOfDeadProcesses(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	put(t, root, "f", "1")
	r := openIn(t, state, root)
	alive := checkout(t, r, snap(t, r, nil))
	dead := checkout(t, r, snap(t, r, nil))
	require.NoError(t, dead.lease.owner.Close()) // what the end of a process does
	require.NoError(t, os.Mkdir(filepath.Join(r.dir.Home, "trees", "half made"), 0o700))

	other := openIn(t, state, root) // another server on the same workspace
	removed, err := other.Trees.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, removed)
	require.Equal(t, map[string]string{"f": "1"}, files(t, alive.Dir()))
	require.NoDirExists(t, dead.lease.home)

	require.NoError(t, alive.Close())
	require.NoError(t, alive.Close())
	require.NoDirExists(t, alive.lease.home)
	removed, err = other.Trees.Sweep(t.Context())
	require.NoError(t, err)
	require.Zero(t, removed)
}

func TestCheckout_MakesNoGitDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "f", "1")
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	for path := range files(t, tree.Dir()) {
		require.NotContains(t, path, ".git")
	}
	require.NoFileExists(t, filepath.Join(r.dir.Git, "worktrees"))
}

// Changes that a proposal cannot show do not prevent the others.
func TestChanges_OfAMess(t *testing.T) {
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
	got, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]patch.FileChange{
		{Kind: patch.Create, Path: "d", After: "a file\n"}, {Kind: patch.Delete, Path: "d/file", Before: "0\n"},
		{Kind: patch.Delete, Path: "folder", Before: "0\n"}, {Kind: patch.Create, Path: "folder/inside", After: "x\n"},
	}, got.Files))
}

// Another process checks out what the first one took, and goes on as the first one would.
func TestCheckout_InAnotherProcess(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	put(t, root, "f", "0\n")
	r := openIn(t, state, root)
	s := snap(t, r, map[string]string{"f": "typed\n"})
	require.NoError(t, os.Remove(filepath.Join(root, "f")))
	tree := checkout(t, openIn(t, state, root), Snapshot{Commit: s.Commit})
	require.Equal(t, map[string]string{"f": "typed\n"}, files(t, tree.Dir()))
	_, err := r.Trees.Checkout(t.Context(), Snapshot{Commit: "--all"})
	require.Error(t, err)
	_, err = r.Trees.Checkout(t.Context(), Snapshot{Commit: strings.Repeat("0", 40)})
	require.Error(t, err)
}

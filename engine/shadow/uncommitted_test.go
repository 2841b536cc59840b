package shadow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/gitdir"
	"forge/engine/sandbox"
	"forge/engine/workspace"
	"forge/patch"
)

// uncommitted is what differs in a folder from its last commit, as "kind path", and the proof that asking changed nothing there.
func uncommitted(t *testing.T, r *Repo, unsaved map[string]workspace.Document) (told []string, known bool) {
	t.Helper()
	before := fingerprint(t, r.dir.Root)
	s, err := r.Snapshots.Take(t.Context(), workspace.Snapshot{Root: r.dir.Root, Unsaved: unsaved})
	require.NoError(t, err)
	set, known, err := r.History.Uncommitted(t.Context(), s.Commit)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(before, fingerprint(t, r.dir.Root)))
	told = []string{}
	for _, f := range set.Files {
		told = append(told, map[patch.Kind]string{patch.Create: "A ", patch.Update: "M ", patch.Delete: "D "}[f.Kind]+f.Path)
	}
	return told, known
}

func TestUncommitted_ComparesWithHEAD(t *testing.T) {
	t.Parallel()
	root := threeCommits(t)
	commit(t, root, "four", map[string]string{"crlf.txt": "a\nb\n", "big.lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "gone": "x\n", "blob": "\x00\n"})
	r := open(t, root)
	told, known := uncommitted(t, r, nil)
	require.True(t, known)
	require.Empty(t, told)

	put(t, root, "a.txt", "changed\n")
	put(t, root, "new.txt", "new\n")
	put(t, root, "crlf.txt", "a\r\nb\r\n")
	put(t, root, "big.lfs", "the file itself\n")
	put(t, root, "blob", "\x00\x00\n")
	put(t, root, ".gitignore", "ignored\n")
	put(t, root, "ignored", "x\n")
	require.NoError(t, os.Remove(filepath.Join(root, "gone")))
	told, _ = uncommitted(t, r, map[string]workspace.Document{"sub/c.txt": {Path: "sub/c.txt", Text: "typed\n"}})
	require.Equal(t, []string{"A .gitignore", "M a.txt", "D gone", "A new.txt", "M sub/c.txt"}, told)

	s, err := r.Snapshots.Take(t.Context(), workspace.Snapshot{Root: root})
	require.NoError(t, err)
	set, _, err := r.History.Uncommitted(t.Context(), s.Commit)
	require.NoError(t, err)
	require.Equal(t, patch.FileChange{Path: "a.txt", Before: "aa\n", After: "changed\n"}, set.Files[1])
}

func TestUncommitted_InOtherPlaces(t *testing.T) {
	t.Parallel()
	t.Run("a folder below the top", func(t *testing.T) {
		t.Parallel()
		root := threeCommits(t)
		put(t, root, "a.txt", "not of this folder\n")
		put(t, root, "sub/d.txt", "d\n")
		told, known := uncommitted(t, open(t, filepath.Join(root, "sub")), nil)
		require.True(t, known)
		require.Equal(t, []string{"A d.txt"}, told)
	})
	t.Run("a folder that is in no commit", func(t *testing.T) {
		t.Parallel()
		root := threeCommits(t)
		put(t, root, "fresh/d.txt", "d\n")
		told, known := uncommitted(t, open(t, filepath.Join(root, "fresh")), nil)
		require.True(t, known)
		require.Equal(t, []string{"A d.txt"}, told)
	})
	for name, create := range map[string]func(t *testing.T) string{
		"no repository": func(t *testing.T) string { return t.TempDir() },
		"no commit": func(t *testing.T) string {
			root := t.TempDir()
			git(t, root, "init", "-q")
			return root
		},
		"other ids": func(t *testing.T) string { return threeCommits(t, "--object-format=sha256") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := create(t)
			put(t, root, "a.txt", "x\n")
			told, known := uncommitted(t, open(t, root), nil)
			require.False(t, known)
			require.Empty(t, told)
		})
	}
}

// A repository whose settings start programs starts none; TestPlainGitLog_FallsIntoTheTraps is the twin.
func TestUncommitted_OfAHostileRepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	w := newTrapped(t)
	configure(t, w.root, map[string]string{"diff.external": w.program("config-external"), "core.fsmonitor": w.program("fsmonitor"), "core.pager": w.program("core-pager")})
	w.disarm(t)
	r, err := Open(t.Context(), sandbox.New(sandbox.Options{Environ: w.environ()}), t.TempDir(), w.root)
	require.NoError(t, err)
	_, known := uncommitted(t, r, nil)
	require.True(t, known)
	require.Empty(t, files(t, w.marks), "these ran")
}

func TestUncommitted_ADamagedCommitIsAnError(t *testing.T) {
	t.Parallel()
	root := threeCommits(t)
	removeObject(t, root, "HEAD:a.txt")
	put(t, root, "a.txt", "changed\n")
	r := open(t, root)
	s, err := r.Snapshots.Take(t.Context(), workspace.Snapshot{Root: root})
	require.NoError(t, err)
	_, _, err = r.History.Uncommitted(t.Context(), s.Commit)
	require.ErrorContains(t, err, "compare")
	require.ErrorContains(t, err, "`git fsck`")
	_, _, err = r.History.Dirty(t.Context(), s.Commit)
	require.ErrorContains(t, err, "`git fsck`")
}

// What a sparse checkout leaves out was not deleted, and a partial clone does not have all that was committed.
func TestUncommitted_InAPartOfARepository(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		clone []string
		old   []string // what differs from the first commit, as far as its texts are known
	}{
		"sparse":                             {[]string{"--sparse"}, []string{"M a.txt"}},
		"sparse, with its index":             {[]string{"--sparse", "--config=index.sparse=true"}, []string{"M a.txt"}},
		"sparse and partial":                 {[]string{"--sparse", "--filter=blob:none"}, nil},
		"sparse and partial, with its index": {[]string{"--sparse", "--filter=blob:none", "--config=index.sparse=true"}, nil},
		"partial, with all files":            {[]string{"--filter=blob:none"}, []string{"D sub/b.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, root := threeCommits(t), filepath.Join(t.TempDir(), "clone")
			commit(t, from, "four", map[string]string{"gone.txt": "x\n", "sub/deep/d.txt": "d\n"})
			git(t, from, "config", "uploadpack.allowFilter", "true")
			git(t, from, append(append([]string{"clone", "-q"}, c.clone...), "file://"+from, root)...)
			if strings.HasSuffix(name, "with its index") {
				git(t, root, "sparse-checkout", "reapply", "--sparse-index")
			}
			r := open(t, root)
			told, known := uncommitted(t, r, nil)
			require.True(t, known)
			require.Empty(t, told)

			put(t, root, "a.txt", "changed\n")
			put(t, root, "sub/new.txt", "new\n")
			require.NoError(t, os.Remove(filepath.Join(root, "gone.txt")))
			told, _ = uncommitted(t, r, nil)
			require.Equal(t, []string{"M a.txt", "D gone.txt", "A sub/new.txt"}, told)
			s, err := r.Snapshots.Take(t.Context(), workspace.Snapshot{Root: root})
			require.NoError(t, err)
			dirty, _, err := r.History.Dirty(t.Context(), s.Commit)
			require.NoError(t, err)
			require.Equal(t, []gitdir.Committed{
				{Path: "a.txt", Mode: gitdir.PlainMode, Content: []byte("aa\n")}, {Path: "gone.txt", Mode: gitdir.PlainMode, Content: []byte("x\n")}, {Path: "sub/new.txt"},
			}, dirty)

			set, known, err := r.History.Since(t.Context(), "HEAD~3", s.Commit)
			require.NoError(t, err)
			require.True(t, known)
			var old []string
			for _, f := range set.Files {
				if f.Kind != patch.Create {
					old = append(old, map[patch.Kind]string{patch.Update: "M ", patch.Delete: "D "}[f.Kind]+f.Path)
				}
			}
			require.Equal(t, c.old, old)
		})
	}
}

// A folder may have more uncommitted files than a review compares: a snapshot of the last commit has none of them.
func TestWithout_LeavesNoUncommittedFileOut(t *testing.T) {
	t.Parallel()
	root := threeCommits(t)
	commit(t, root, "four", map[string]string{"z.txt": "committed\n"})
	for i := range 1100 {
		put(t, root, fmt.Sprintf("new/%d.txt", i), "new\n")
	}
	put(t, root, "z.txt", "changed\n")
	r := open(t, root)
	s, err := r.Snapshots.Take(t.Context(), workspace.Snapshot{Root: root})
	require.NoError(t, err)
	dirty, known, err := r.History.Dirty(t.Context(), s.Commit)
	require.NoError(t, err)
	require.True(t, known)
	require.Len(t, dirty, 1101)

	head, err := r.Snapshots.Without(t.Context(), s, dirty)
	require.NoError(t, err)
	again, _, err := r.History.Dirty(t.Context(), head.Commit)
	require.NoError(t, err)
	require.Empty(t, again)
}

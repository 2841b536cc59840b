package gitdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/sandbox"
)

// told writes commits as lines "message: paths".
func told(commits []codeintel.Commit) []string {
	lines := []string{}
	for _, c := range commits {
		lines = append(lines, c.Message+": "+strings.Join(c.Paths, " "))
	}
	return lines
}

func history(t *testing.T, h *History) []codeintel.Commit {
	t.Helper()
	commits, err := h.Commits(t.Context(), 100)
	require.NoError(t, err)
	return commits
}

// pastOf is the history of a folder, and the proof that reading it changed nothing there.
func pastOf(t *testing.T, root string) []string {
	t.Helper()
	before := fingerprint(t, root)
	commits := history(t, NewHistory(open(t, root)))
	require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
	return told(commits)
}

func commit(t *testing.T, root, message string, contents map[string]string) {
	t.Helper()
	for path, content := range contents {
		put(t, root, path, content)
	}
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "--allow-empty", "-m", message)
}

// threeCommits make a repository with a folder, a rename, and a merge.
func threeCommits(t *testing.T, args ...string) string {
	t.Helper()
	root := t.TempDir()
	git(t, root, append([]string{"init", "-q", "-b", "main", "--template="}, args...)...)
	commit(t, root, "one", map[string]string{"a.txt": "a\n", "sub/b.txt": "b\n"})
	commit(t, root, "two", map[string]string{"a.txt": "aa\n"})
	git(t, root, "mv", "sub/b.txt", "sub/c.txt")
	commit(t, root, "three", nil)
	return root
}

var allThree = []string{"three: sub/b.txt sub/c.txt", "two: a.txt", "one: a.txt sub/b.txt"}

func TestCommits_OfKindsOfRepositories(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(t *testing.T) (root string)
		want []string
	}{
		{"of a repository", func(t *testing.T) string { return threeCommits(t) }, allThree},
		{"with SHA-256", func(t *testing.T) string { return threeCommits(t, "--object-format=sha256") }, allThree},
		{"of a folder below the top", func(t *testing.T) string {
			return filepath.Join(threeCommits(t), "sub")
		}, []string{"three: b.txt c.txt", "one: b.txt"}},
		{"with packed refs and objects", func(t *testing.T) string {
			root := threeCommits(t)
			git(t, root, "gc", "-q")
			require.NoFileExists(t, filepath.Join(root, ".git", "refs", "heads", "main"))
			return root
		}, allThree},
		{"detached", func(t *testing.T) string {
			root := threeCommits(t)
			git(t, root, "checkout", "-q", "--detach", "HEAD~1")
			return root
		}, allThree[1:]},
		{"of a linked worktree, on a branch of its own", func(t *testing.T) string {
			root, linked := threeCommits(t), filepath.Join(t.TempDir(), "linked")
			git(t, root, "worktree", "add", "-q", "-b", "other", linked, "HEAD~1")
			commit(t, linked, "there", map[string]string{"new.txt": "n\n"})
			return linked
		}, []string{"there: new.txt", "two: a.txt", "one: a.txt sub/b.txt"}},
		{"of a submodule", func(t *testing.T) string {
			root := t.TempDir()
			git(t, root, "init", "-q", "--template=")
			git(t, root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", threeCommits(t), "part")
			return filepath.Join(root, "part")
		}, allThree},
		{"shallow: what the oldest changed is not known", func(t *testing.T) string {
			root := t.TempDir()
			git(t, root, "clone", "-q", "--depth=2", "file://"+threeCommits(t), ".")
			return root
		}, allThree[:1]},
		{"with objects of another repository", func(t *testing.T) string {
			root := t.TempDir()
			git(t, root, "clone", "-q", "--shared", threeCommits(t), ".")
			return root
		}, allThree},
		{"where a path has a colon and a quote", func(t *testing.T) string {
			root := filepath.Join(t.TempDir(), `a:b"c`)
			require.NoError(t, os.Rename(threeCommits(t), root))
			return root
		}, allThree},
		{"without merges", func(t *testing.T) string {
			root := threeCommits(t)
			git(t, root, "checkout", "-q", "-b", "side", "HEAD~2")
			commit(t, root, "side", map[string]string{"side.txt": "s\n"})
			git(t, root, "checkout", "-q", "main")
			git(t, root, "merge", "-q", "--no-ff", "-m", "merged", "side")
			return root
		}, append([]string{"side: side.txt"}, allThree...)},
		{"while git is at work", func(t *testing.T) string {
			root := threeCommits(t)
			put(t, root, ".git/index.lock", "")
			return root
		}, allThree},
		{"with a commit that changes nothing", func(t *testing.T) string {
			root := threeCommits(t)
			commit(t, root, "nothing", nil)
			return root
		}, append([]string{"nothing: "}, allThree...)},
		{"unborn", func(t *testing.T) string {
			root := t.TempDir()
			git(t, root, "init", "-q", "--template=")
			return root
		}, []string{}},
		{"no repository", func(t *testing.T) string { return t.TempDir() }, []string{}},
		{"a .git that is nothing", func(t *testing.T) string {
			root := t.TempDir()
			put(t, root, ".git", "gitdir: elsewhere\n")
			return root
		}, []string{}},
		{"a .git that names another repository", func(t *testing.T) string {
			root := t.TempDir()
			put(t, root, ".git", "gitdir: "+filepath.Join(threeCommits(t), ".git")+"\n")
			return root
		}, []string{}},
		{"a .git that is a link to another repository", func(t *testing.T) string {
			root := t.TempDir()
			require.NoError(t, os.Symlink(filepath.Join(threeCommits(t), ".git"), filepath.Join(root, ".git")))
			return root
		}, []string{}},
		{"a .git whose commondir is another repository", func(t *testing.T) string {
			root, other := threeCommits(t), threeCommits(t)
			commit(t, other, "theirs", map[string]string{"theirs.txt": "x\n"})
			put(t, root, ".git/commondir", filepath.Join(other, ".git")+"\n")
			return root
		}, []string{}},
		{"a .git beside it whose commondir is another repository", func(t *testing.T) string {
			root, other, beside := t.TempDir(), threeCommits(t), t.TempDir()
			put(t, root, ".git", "gitdir: "+beside+"\n")
			put(t, beside, "commondir", filepath.Join(other, ".git")+"\n")
			put(t, beside, "gitdir", filepath.Join(root, ".git")+"\n")
			put(t, beside, "HEAD", "ref: refs/heads/main\n")
			return root
		}, []string{}},
		{"objects that are those of another repository", func(t *testing.T) string {
			root, other := threeCommits(t), threeCommits(t)
			require.NoError(t, os.RemoveAll(filepath.Join(root, ".git/objects")))
			require.NoError(t, os.Symlink(filepath.Join(other, ".git/objects"), filepath.Join(root, ".git/objects")))
			return root
		}, []string{}},
		{"a branch of another repository, and its objects as alternates", func(t *testing.T) string {
			root, other := threeCommits(t), threeCommits(t)
			commit(t, other, "theirs", map[string]string{"theirs.txt": "x\n"})
			put(t, root, ".git/objects/info/alternates", filepath.Join(other, ".git/objects")+"\n")
			require.NoError(t, os.Remove(filepath.Join(root, ".git/refs/heads/main")))
			require.NoError(t, os.Symlink(filepath.Join(other, ".git/refs/heads/main"), filepath.Join(root, ".git/refs/heads/main")))
			return root
		}, []string{}},
		{"a HEAD that leads out of the directory", func(t *testing.T) string {
			root := threeCommits(t)
			id := strings.TrimSpace(git(t, root, "rev-parse", "HEAD"))
			put(t, root, "planted", id)
			put(t, root, ".git/HEAD", "ref: refs/../../planted\n")
			return root
		}, []string{}},
		{"a HEAD that leads to itself", func(t *testing.T) string {
			root := threeCommits(t)
			put(t, root, ".git/refs/heads/main", "ref: refs/heads/main\n")
			return root
		}, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := pastOf(t, tt.make(t))
			if tt.name == "without merges" { // all within one second: their order is not the point
				require.ElementsMatch(t, tt.want, got)
				return
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestCommits_EndAtDamage(t *testing.T) {
	t.Parallel()
	t.Run("a commit is missing", func(t *testing.T) {
		t.Parallel()
		root := threeCommits(t)
		removeObject(t, root, "HEAD~1")
		require.Subset(t, allThree[:1], pastOf(t, root))
	})
	t.Run("an old tree is missing", func(t *testing.T) {
		t.Parallel()
		root := threeCommits(t)
		removeObject(t, root, "HEAD~2^{tree}")
		require.Equal(t, allThree[:1], pastOf(t, root))
	})
	t.Run("the pack is garbage", func(t *testing.T) {
		t.Parallel()
		root := threeCommits(t)
		git(t, root, "gc", "-q")
		packs, err := filepath.Glob(filepath.Join(root, ".git", "objects", "pack", "*.pack"))
		require.NoError(t, err)
		require.Len(t, packs, 1)
		require.NoError(t, os.Chmod(packs[0], 0o600))
		require.NoError(t, os.WriteFile(packs[0], []byte("PACK no more"), 0o600))
		require.Empty(t, pastOf(t, root))
	})
}

func removeObject(t *testing.T, root, name string) {
	t.Helper()
	id := strings.TrimSpace(git(t, root, "rev-parse", name))
	require.NoError(t, os.Remove(filepath.Join(root, ".git", "objects", id[:2], id[2:])))
}

func TestCommits_AreReadWhenHEADMoves(t *testing.T) {
	t.Parallel()
	root := threeCommits(t)
	d := open(t, root)
	r := NewHistory(d)
	first := history(t, r)
	require.Equal(t, allThree, told(first))
	require.Equal(t, r.Head(), first[0].ID)
	require.Positive(t, first[0].Time.Unix())
	require.Same(t, &first[0], &history(t, r)[0], "read again although HEAD did not move")

	d.runner = sandbox.New(sandbox.Options{Environ: []string{"PATH=" + t.TempDir()}})
	without, err := r.Commits(t.Context(), 3)
	require.NoError(t, err)
	require.Empty(t, without, "there is no git to read it with")
	d.runner = runner()

	limited, err := r.Commits(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, allThree[:2], told(limited))

	commit(t, root, "four\n\n"+strings.Repeat("long ", maxMessage), map[string]string{"ünï\n.txt": "x"})
	newest := history(t, r)[0]
	require.Equal(t, []string{"ünï\n.txt"}, newest.Paths)
	require.True(t, strings.HasPrefix(newest.Message, "four\n\nlong "))
	require.LessOrEqual(t, len(newest.Message), maxMessage)
}

func FuzzParseHistory(f *testing.F) {
	id := strings.Repeat("a1", 20)
	f.Add("\x00"+id+" 12\nmessage\n\x00\na.txt\x00b.txt\x00", "", false)
	f.Add("\x00"+id+" 12\nmessage\x00\x00"+id+" 13\n\x00\nsub/b.txt\x00", "sub", true)
	f.Add("", "", true)
	f.Fuzz(func(t *testing.T, out, prefix string, cut bool) {
		commits := parseHistory(out, origin{prefix: prefix}, cut)
		for _, c := range commits {
			require.True(t, IsObjectID(c.ID))
			require.LessOrEqual(t, len(c.Message), maxMessage)
		}
	})
}

func TestBranch_ReadsHEAD(t *testing.T) {
	t.Parallel()
	root := threeCommits(t)
	r := NewHistory(open(t, root))
	require.Equal(t, "main", r.Branch())
	git(t, root, "checkout", "-q", "-b", "feature/x")
	require.Equal(t, "feature/x", r.Branch())
	git(t, root, "checkout", "-q", strings.TrimSpace(git(t, root, "rev-parse", "HEAD")))
	require.Empty(t, r.Branch())
	require.Empty(t, NewHistory(open(t, t.TempDir())).Branch())
}

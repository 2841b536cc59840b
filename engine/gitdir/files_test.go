package gitdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
)

// inventory is a folder with something of each kind, and what of it is found.
func inventory(t *testing.T) (root string, want []string) {
	t.Helper()
	root = t.TempDir()
	git(t, root, "init", "-q", "--template=")
	for _, path := range []string{"tracked.txt", "kept.log", ".github/ci.yml"} {
		put(t, root, path, "x")
	}
	put(t, root, ".gitignore", "*.log\n/out/\n")
	git(t, root, "add", "-f", "tracked.txt", "kept.log", ".github/ci.yml", ".gitignore")
	put(t, root, "fresh.txt", "x")
	put(t, root, "left.log", "x")
	put(t, root, "out/made.txt", "x")
	put(t, root, "deleted.txt", "x")
	git(t, root, "add", "deleted.txt")
	require.NoError(t, os.Remove(filepath.Join(root, "deleted.txt")))
	require.NoError(t, os.Symlink("tracked.txt", filepath.Join(root, "link.txt")))
	require.NoError(t, os.Symlink(".", filepath.Join(root, "loop")))
	put(t, root, "nested/n.txt", "x")
	git(t, filepath.Join(root, "nested"), "init", "-q", "--template=")
	f, err := os.Create(filepath.Join(root, "huge.txt")) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	require.NoError(t, f.Truncate(100<<20))
	require.NoError(t, f.Close())
	return root, []string{".github/ci.yml", ".gitignore", "fresh.txt", "huge.txt", "kept.log", "tracked.txt"}
}

func TestFiles_AreThoseOfTheFolder(t *testing.T) {
	t.Parallel()
	root, want := inventory(t)
	before := fingerprint(t, root)
	got, err := NewFiles(open(t, root)).List(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, before, fingerprint(t, root))
}

func TestFiles_LeaveOutForgesState(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a.txt", "x")
	r := openIn(t, filepath.Join(root, "state"), root)
	got, err := NewFiles(r).List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt"}, got)
	r.runner = sandbox.New(sandbox.Options{Environ: []string{"PATH="}})
	got, err = NewFiles(r).List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt"}, got)
}

func TestFiles_WithoutGitAreWalked(t *testing.T) {
	t.Parallel()
	root, want := inventory(t)
	put(t, root, "node_modules/m/index.js", "x")
	put(t, root, "target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55")
	put(t, root, "target/made.txt", "x")
	r := open(t, root)
	r.runner = sandbox.New(sandbox.Options{Environ: []string{"PATH=" + t.TempDir()}})
	got, err := NewFiles(r).List(t.Context())
	require.NoError(t, err)
	// Without git no ignore rules are read: two files more.
	require.ElementsMatch(t, append(want, "left.log", "out/made.txt"), got)
	commits, err := NewHistory(r).Commits(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, commits)
}

func TestFiles_OfAMissingFolder(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "folder")
	put(t, root, "a.txt", "x")
	r := open(t, root)
	require.NoError(t, os.RemoveAll(root))
	_, err := NewFiles(r).List(t.Context())
	require.ErrorContains(t, err, "does not exist (any more)")
	_, err = Walk(t.Context(), root, "")
	require.Error(t, err)
}

package shadow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
)

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

func removeObject(t *testing.T, root, name string) {
	t.Helper()
	id := strings.TrimSpace(git(t, root, "rev-parse", name))
	require.NoError(t, os.Remove(filepath.Join(root, ".git", "objects", id[:2], id[2:])))
}

func TestHistory_OfAHostileRepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	w := newTrapped(t)
	configure(t, w.root, map[string]string{
		"log.showSignature": "true", "log.mailmap": "true", "mailmap.file": "/dev/stdin", "pager.log": w.program("pager-log"),
		"core.pager": w.program("core-pager"), "diff.external": w.program("config-external"), "core.alternateRefsCommand": w.program("refs"),
		"core.gitProxy": w.program("proxy"), "remote.origin.promisor": "true", "remote.origin.url": "ext::" + w.program("fetch"),
		"protocol.ext.allow": "always", "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1",
		"include.path": "/dev/stdin", "gpg.ssh.program": w.program("ssh-gpg"),
	})
	blob := strings.TrimSpace(git(t, w.root, "rev-parse", "HEAD:b.txt"))
	require.NoError(t, os.Remove(filepath.Join(w.root, ".git", "objects", blob[:2], blob[2:])), "git would fetch it")
	w.disarm(t)
	before := fingerprint(t, w.root)
	r, err := Open(t.Context(), sandbox.New(sandbox.Options{Environ: w.environ()}), t.TempDir(), w.root)
	require.NoError(t, err)
	commits, err := r.History.Commits(t.Context(), 100)
	require.NoError(t, err)
	require.Len(t, commits, 1)
	require.Equal(t, []string{"a.txt", "b.txt"}, commits[0].Paths)
	found, err := r.Files.List(t.Context())
	require.NoError(t, err)
	require.Contains(t, found, "a.txt")
	require.Empty(t, files(t, w.marks), "these ran")
	require.Empty(t, cmp.Diff(before, fingerprint(t, w.root)))
}

// The twin: git with the user's directory does run them.
func TestPlainGitLog_FallsIntoTheTraps(t *testing.T) {
	t.Parallel()
	w := newTrapped(t)
	git(t, w.root, "config", "remote.origin.promisor", "true")
	git(t, w.root, "config", "remote.origin.url", "ext::"+w.program("fetch"))
	git(t, w.root, "config", "protocol.ext.allow", "always")
	git(t, w.root, "config", "diff.external", w.program("config-external"))
	w.disarm(t)
	git(t, w.root, "log", "-p", "--ext-diff")
	require.NotEmpty(t, files(t, w.marks))
	w.disarm(t)
	blob := strings.TrimSpace(git(t, w.root, "rev-parse", "HEAD:b.txt"))
	require.NoError(t, os.Remove(filepath.Join(w.root, ".git", "objects", blob[:2], blob[2:])))
	git(t, w.root, "log", "--textconv", "--oneline")
	_, err := runner().Run(t.Context(), sandbox.Command{Argv: []string{"git", "cat-file", "-p", blob}, Dir: w.root})
	require.NoError(t, err)
	require.Contains(t, files(t, w.marks), "fetch")
}

package shadow

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/internal/failpoint"
	"forge/internal/testkit"
)

// folders are the ways in which the user's repository may lie there. Each has work in all its places: staged, changed,
// untracked, stashed, with reflogs, hooks and settings.
var folders = map[string]func(t *testing.T, root string){
	"a repository in the middle of work": inTheMiddle,
	"while another git has the index":    func(t *testing.T, root string) { inTheMiddle(t, root); put(t, root, ".git/index.lock", "") },
	"with nested repositories and submodules": func(t *testing.T, root string) {
		inTheMiddle(t, root)
		nested := filepath.Join(root, "vendor", "nested")
		require.NoError(t, os.MkdirAll(nested, 0o750))
		inTheMiddle(t, nested)
		part := t.TempDir()
		inTheMiddle(t, part)
		git(t, root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "part")
		put(t, root, "part/changed.txt", "in the submodule\n")
	},
	"sparse": func(t *testing.T, root string) {
		inTheMiddle(t, root)
		git(t, root, "stash", "drop", "-q")
		git(t, root, "reset", "-q", "--hard")
		git(t, root, "sparse-checkout", "set", "--cone", "dir")
	},
	"bare": func(t *testing.T, root string) {
		from := t.TempDir()
		inTheMiddle(t, from)
		git(t, root, "clone", "-q", "--bare", from, ".")
	},
	"detached, with a linked worktree": func(t *testing.T, root string) {
		inTheMiddle(t, root)
		git(t, root, "checkout", "-q", "--detach")
		git(t, root, "worktree", "add", "-q", "-b", "side", filepath.Join(t.TempDir(), "linked"))
	},
	"no commits": func(t *testing.T, root string) {
		git(t, root, "init", "-q")
		put(t, root, "open.txt", "disk")
		git(t, root, "add", ".")
	},
	"in the middle of a merge": func(t *testing.T, root string) {
		inTheMiddle(t, root)
		put(t, root, ".git/MERGE_HEAD", git(t, root, "rev-parse", "HEAD"))
		put(t, root, ".git/MERGE_MSG", "half merged\n")
	},
	"no git": func(t *testing.T, root string) { put(t, root, "open.txt", "disk") },
}

func inTheMiddle(t *testing.T, root string) {
	t.Helper()
	git(t, root, "init", "-q", "-b", "main")
	put(t, root, "open.txt", "disk")
	put(t, root, "dir/file.txt", "disk\n")
	put(t, root, ".gitignore", "*.log\n")
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "first")
	put(t, root, "dir/file.txt", "stashed\n")
	git(t, root, "stash", "-q")
	git(t, root, "branch", "topic")
	git(t, root, "tag", "v1")
	git(t, root, "config", "user.signingKey", "mine")
	put(t, root, ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
	put(t, root, "staged.txt", "staged\n")
	git(t, root, "add", "staged.txt")
	put(t, root, "dir/file.txt", "changed\n")
	put(t, root, "untracked.txt", "mine\n")
	put(t, root, "debug.log", "ignored\n")
}

// Whatever Forge does, and wherever it dies, the user's folder is what it was, to the byte and to the time of the last
// change: HEAD, index, refs, stash, settings, hooks, reflogs, worktrees, nested repositories.
func TestRepo_LeavesTheUsersGitUntouched(t *testing.T) {
	t.Parallel()
	runs := 500
	if testing.Short() {
		runs = 18
	}
	places := testkit.Failpoints("engine/shadow")
	for name, prepare := range testkit.SampleMap(2, folders) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, root := t.TempDir(), t.TempDir()
			prepare(t, root)
			before := fingerprint(t, root)
			luck := rand.New(rand.NewPCG(4, uint64(len(name)))) //nolint:gosec // no secret
			killed := 0
			for range (runs + len(folders) - 1) / len(folders) {
				cmd := forge(t, state, root, "all 1")
				switch luck.IntN(3) {
				case 0:
					cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s:%d", failpoint.Environment, places[luck.IntN(len(places))], 1+luck.IntN(2)))
				case 1:
					cmd = forge(t, state, root, fmt.Sprintf("kill %s %d", []string{"before", "during"}[luck.IntN(2)], 1+luck.IntN(25)))
				}
				if out, err := cmd.CombinedOutput(); err != nil {
					require.Equal(t, -1, cmd.ProcessState.ExitCode(), "it failed before it was killed: %s", out)
					killed++
				}
			}
			require.Positive(t, killed)
			checkAfterCrash(t, state, root, 0)
			require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
		})
	}
}

// The twin: what an ordinary git does to a repository shows.
func TestFingerprint_DetectsGitsChanges(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"add", "untracked.txt"}, {"checkout", "-q", "-B", "other"}, {"stash", "drop", "-q"}, {"branch", "new"}, {"config", "a.b", "c"},
		{"worktree", "add", "-q", "--detach", "../linked"}, {"update-ref", "refs/forge/x", "HEAD"}, {"reflog", "expire", "--expire=now", "--all"},
		{"update-index", "--refresh", "-q", "--really-refresh"}, {"gc", "-q"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "work")
			require.NoError(t, os.Mkdir(root, 0o750))
			inTheMiddle(t, root)
			put(t, root, "open.txt", "disk") // touched, so that a refresh writes
			before := fingerprint(t, root)
			cmd := []string{"-c", "core.hooksPath=/dev/null"}
			if args[0] == "update-index" {
				args = []string{"status", "--porcelain"}
			}
			git(t, root, append(cmd, args...)...)
			require.NotEmpty(t, cmp.Diff(before, fingerprint(t, root)))
		})
	}
}

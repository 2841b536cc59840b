package shadow

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/internal/failpoint"
	"forge/internal/testkit"
	"forge/patch"
)

func workspaceWithGit(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	git(t, root, "init", "-q")
	put(t, root, "open.txt", "disk")
	put(t, root, "other.txt", "disk")
	git(t, root, "add", ".")
	git(t, root, "commit", "-q", "-m", "first")
	return root
}

// Forge dies at each of its git commands, before and during. Nothing it leaves stands in the way of the
// next start, every entry of the ledger is whole, and the user's folder is what it was.
func TestRepo_KilledAtEveryCommandLosesNothing(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "during"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			state, root := t.TempDir(), workspaceWithGit(t)
			before := fingerprint(t, root)
			steps := 0
			for finished := false; !finished; {
				steps += testkit.Step(8)
				cmd := forge(t, state, root, fmt.Sprintf("kill %s %d", when, steps))
				out, err := cmd.CombinedOutput()
				finished = bytes.Contains(out, []byte("finished"))
				require.True(t, finished || err != nil && cmd.ProcessState.ExitCode() == -1, "step %d: %s", steps, out)
				checkAfterCrash(t, state, root, steps)
			}
			require.Greater(t, steps, 12, "a run has more commands than that")
			require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
		})
	}
}

// Forge dies at each place that has a name, the first and the second time it is passed.
func TestRepo_KilledAtEveryFailpointLosesNothing(t *testing.T) {
	t.Parallel()
	for _, place := range testkit.Sample(2, testkit.Failpoints("engine/shadow")) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			state, root := t.TempDir(), workspaceWithGit(t)
			before := fingerprint(t, root)
			for _, passed := range testkit.Sample(1, []string{":1", ":2"}) {
				cmd := forge(t, state, root, "all 3")
				cmd.Env = append(cmd.Env, failpoint.Environment+"="+place+passed)
				out, err := cmd.CombinedOutput()
				require.Error(t, err, "the place is never passed, so nothing is known of it")
				require.Equal(t, -1, cmd.ProcessState.ExitCode(), string(out))
				checkAfterCrash(t, state, root, 0)
			}
			finished, err := forge(t, state, root, fmt.Sprintf("all %d", testkit.Cases(1, 3))).CombinedOutput()
			require.NoError(t, err, string(finished))
			require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
		})
	}
}

func checkAfterCrash(t *testing.T, state, root string, step int) {
	t.Helper()
	r := openIn(t, state, root)
	// The kernel ends the dead Forge's child a moment later, and until then that may hold the tree's lock.
	require.Eventually(t, func() bool {
		_, err := r.Trees.Sweep(t.Context())
		require.NoError(t, err)
		left, err := os.ReadDir(filepath.Join(r.dir.Home, "trees"))
		require.NoError(t, err)
		return len(left) == 0
	}, time.Minute, 10*time.Millisecond, "step %d", step)
	require.Equal(t, "typed again", content(t, r, map[string]string{"open.txt": "typed again"})["open.txt"], "step %d", step)
	entries, err := r.Ledger.Entries(t.Context())
	require.NoError(t, err)
	for _, e := range entries {
		whole, err := r.Ledger.Entry(t.Context(), e.ID)
		require.NoError(t, err)
		require.Equal(t, []patch.FileChange{{Kind: patch.Update, Path: "open.txt", Before: "typed", After: "better"}}, whole.Changes.Files)
	}
}

// All leftovers of a killed git, put there by hand, at once.
func TestOpen_StaleLocksAreNoObstacle(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), workspaceWithGit(t)
	r := openIn(t, state, root)
	s := snap(t, r, nil)
	for _, name := range []string{"index.lock", "index.overlay", "index.overlay.lock", "index.user", "index.user.lock"} {
		put(t, r.dir.Git, name, "garbage")
	}
	ref := filepath.Join(r.dir.Git, "refs", "forge", "snapshots", s.Commit)
	require.NoError(t, os.Remove(ref))
	put(t, r.dir.Git, "refs/forge/snapshots/"+s.Commit+".lock", "")
	require.Equal(t, s, snap(t, r, nil))

	// A start that was killed before the settings were written.
	config := filepath.Join(r.dir.Git, "config")
	made, err := os.ReadFile(config) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(config, made[:bytes.Index(made, []byte("\n# forge: settings"))], 0o600))
	put(t, r.dir.Git, "config.lock", "")
	r = openIn(t, state, root)
	require.Equal(t, s, snap(t, r, map[string]string{}))
	again, err := os.ReadFile(config) //nolint:gosec // a test's own folder
	require.NoError(t, err)
	require.Equal(t, string(made), string(again))
}

// Two servers and this process work on one workspace at once.
func TestRepo_IsSharedByProcesses(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), workspaceWithGit(t)
	before := fingerprint(t, root)
	rounds := testkit.Cases(2, 4)
	outputs := make(chan string, 2)
	for range 2 {
		cmd := forge(t, state, root, fmt.Sprintf("work %d", rounds))
		go func() {
			out, err := cmd.CombinedOutput()
			outputs <- fmt.Sprintf("%s%v", out, err)
		}()
	}
	r := openIn(t, state, root)
	for range rounds {
		require.Equal(t, "mine", content(t, r, map[string]string{"other.txt": "mine"})["other.txt"])
		_, err := r.Trees.Sweep(t.Context())
		require.NoError(t, err)
	}
	for range 2 {
		require.Equal(t, "finished\n<nil>", <-outputs)
	}
	entries, err := r.Ledger.Entries(t.Context())
	require.NoError(t, err)
	require.Len(t, entries, 2*rounds, "no entry was lost or overwritten")
	require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
}

// A git that is killed between the two names of a pack leaves a mark of it, and would refuse to write the same pack once
// more: then a change that was made could never be recorded.
func TestTake_AHalfNamedPackIsNoObstacle(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for n := range 150 { // more than are written one by one
		put(t, root, fmt.Sprint(n), fmt.Sprint(n))
	}
	whole := open(t, root)
	commit := snap(t, whole, nil).Commit
	packs, err := filepath.Glob(filepath.Join(whole.dir.Git, "objects", "pack", "pack-*.pack"))
	require.NoError(t, err)
	require.NotEmpty(t, packs, "the check is about packs")
	r := open(t, root) // another state, in which git died before the pack had its name
	for _, pack := range packs {
		put(t, r.dir.Git, "objects/pack/"+strings.TrimSuffix(filepath.Base(pack), ".pack")+".keep", "")
	}
	require.Equal(t, commit, snap(t, r, nil).Commit)
}

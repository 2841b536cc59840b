package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// The results of a run's attempts are listed and can be deleted, which removes nothing else of the run. Its graph shows them, too.
func TestAttemptsCommand_ListsAndForgets(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+strings.Replace(writeWrong, "times: 2", "times: 1", 1)+writeRight+reviewPass, sumModule())
	code, stdout, stderr := w.run("iterations")
	require.Zero(t, code, stderr)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "no attempts of the folder's runs are stored")
	code, stdout, stderr = w.run("graph", "show")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "no run in ")
	require.Empty(t, stdout)
	code, _, stderr = w.run("run", "--trust", "--yes", "add Add")
	require.Zero(t, code, stderr)
	w.graphIsShown()
	id := asked[api.RunsResult](w, "runs").Runs[0].RunID

	all := asked[api.IterationsResult](w, "iterations").Iterations
	require.Len(t, all, 2)
	refused, accepted := all[0], all[1]
	require.Equal(t, []any{id, "executor", 1, false}, []any{refused.RunID, refused.Node, refused.Attempt, refused.Accepted})
	require.Less(t, refused.Passed, refused.Total)
	require.InDelta(t, float64(refused.Passed)/float64(refused.Total), refused.Score, 1e-9)
	require.NotEmpty(t, refused.Reason)
	require.Contains(t, strings.Join(refused.Failures, "\n"), "TestAdd")
	require.Equal(t, []any{id, "executor", 2, true, 1.0}, []any{accepted.RunID, accepted.Node, accepted.Attempt, accepted.Accepted, accepted.Score})
	require.Empty(t, accepted.Failures)
	require.Equal(t, all, asked[api.IterationsResult](w, "iterations", id, "--node", "executor").Iterations)
	require.Empty(t, asked[api.IterationsResult](w, "iterations", id, "--node", "review").Iterations)
	code, stdout, stderr = w.run("iterations", id)
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^`+id+` +executor +1 +no +\d+/\d+ +0\.\d\d .*TestAdd`, stdout)
	require.Regexp(t, `(?m)^`+id+` +executor +2 +yes +(\d+)/\d+ +1\.00`, stdout)
	readsWell(t, stdout)

	kept := func(key string) string {
		code, stdout, stderr := w.run("memory", "get", key, "--agent", "executor", "--tier", "mid")
		require.Zero(t, code, stderr)
		return strings.TrimSpace(stdout)
	}
	require.JSONEq(t, `["add.go"]`, kept("last_files_generated"), "what the executor of the last attempt left behind")
	require.Equal(t, w.root, strings.Trim(kept("workdir"), `"`))
	require.Regexp(t, `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, kept("executor_done_at"))

	require.Contains(t, w.refused(2, "iterations", "--reset"), "--reset needs a run")
	require.Contains(t, w.refused(1, "iterations", "r-none", "--reset", "--yes"), "forge runs lists")
	require.Contains(t, w.refused(3, "iterations", id, "--reset"), "so nothing was forgotten")
	require.Len(t, asked[api.IterationsResult](w, "iterations", id).Iterations, 2, "there was no confirmation")
	code, stdout, _ = w.run("iterations", id, "--reset", "--yes")
	require.Zero(t, code)
	require.Equal(t, "2 attempts of run "+id+" were deleted\n", stdout)
	require.Empty(t, asked[api.IterationsResult](w, "iterations").Iterations)
	require.Zero(t, asked[api.IterationsResult](w, "iterations", id, "--reset").Forgotten, "there is nothing left to ask about")
	require.Len(t, asked[api.RunsResult](w, "runs").Runs, 1)
	require.Len(t, asked[api.CheckpointsResult](w, "checkpoints").Checkpoints, 1)
}

package lsp_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
)

// forge.status reports the latest attempt of a run; before the first one it reports none.
func TestAttempts_StatusReportsTheLatestAttempt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		judged := make(chan struct{})
		d := start(t, nil, &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result {
			<-judged
			r.Log.Append(event.AttemptJudged{Attempt: 1, Of: 3, Passed: 1, Total: 2, Score: 0.5, Failures: []string{"x"}, Recommendation: "RETRY_WITH_DEBUGGER"})
			<-ctx.Done()
			return execution.Result{State: event.Cancelled}
		}})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		var status api.StatusResult
		require.NoError(t, d.execute(api.Status, nil, &status))
		require.Nil(t, status.Runs[0].Progress)
		close(judged)
		synctest.Wait()
		require.NoError(t, d.execute(api.Status, nil, &status))
		require.Equal(t, &api.AttemptJudged{
			Attempt: 1, Of: 3, Passed: 1, Total: 2, Score: 0.5, Failures: []string{"x"}, Recommendation: "RETRY_WITH_DEBUGGER",
		}, status.Runs[0].Progress)
		require.NoError(t, d.execute(api.Cancel, api.RunRef{RunID: r.RunID}, nil))
	})
}

func TestAttempts_ATaskIsClassified(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: checking(event.Succeeded)})
		var c api.Class
		require.NoError(t, d.execute(api.ClassifyTask, api.ClassifyArgs{Task: "fix the crash", Path: "pay/total.go"}, &c))
		require.Equal(t, "bugfix", c.Kind)
		require.Equal(t, "pay", c.Scope)
		require.InDelta(t, 0.6+0.2/3, c.Confidence, 1e-9)
		require.True(t, c.RequiresTests && c.RequiresReview)
		require.NoError(t, d.execute(api.ClassifyTask, api.ClassifyArgs{Task: "hello"}, &c))
		require.Equal(t, "conversation", c.Kind)
		require.False(t, c.RequiresTests || c.RequiresReview)
	})
}

package batch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/batch"
	"forge/internal/sqlite"
	"forge/internal/testkit"
)

// TestCrash_KilledAtEveryPlace kills the process that asks at each place: the next one that asks for the same gets every answer, and
// nothing is billed twice, however late the provider lists its jobs.
func TestCrash_KilledAtEveryPlace(t *testing.T) {
	t.Parallel()
	deaths := map[string][]string{ // by the last place: those before it
		batch.FailLook:  {batch.FailAccepted},
		batch.FailFound: {batch.FailAccepted},
	}
	for _, place := range testkit.Failpoints("engine/batch") {
		switch place {
		case batch.FailLook, batch.FailFound, batch.FailAbandon, batch.FailAbandoned, batch.FailCancelled:
		default:
			deaths[place] = nil
		}
	}
	for n := 1; n <= 10; n += testkit.Step(3) { // of the tables themselves: commits 1 and 2 make them
		deaths[fmt.Sprintf("%s:%d", sqlite.FailCommit, n)] = nil
		deaths[fmt.Sprintf("%s:%d", sqlite.FailCommitted, n)] = nil
	}
	for place, before := range deaths {
		for _, hides := range []int{0, 1} {
			if hides == 0 && (place == batch.FailLook || strings.HasPrefix(place, "sqlite.")) {
				continue // it is found at the first look; or the places between commits are enough
			}
			t.Run(fmt.Sprintf("%s, hidden %d", place, hides), func(t *testing.T) {
				t.Parallel()
				dir, env := t.TempDir(), fmt.Sprintf("FORGE_BATCH_HIDES=%d", hides)
				for _, earlier := range before {
					killedAt(t, "ask", dir, earlier, env)
				}
				killedAt(t, "ask", dir, place, env)
				requireBoughtOnce(t, dir, env)
			})
		}
	}
}

// requireBoughtOnce lets a process ask once more, and checks what was billed.
func requireBoughtOnce(t *testing.T, dir, env string) {
	t.Helper()
	lines, err := process(t, "ask", dir, env)
	require.NoError(t, err)
	require.Equal(t, []string{"re: a\n", "re: b\n"}, lines)
	require.Equal(t, map[string]int{"a": 1, "b": 1}, far(dir).bought(t))
}

// The negative twin: a provider that lists a job later than the second look has it twice, and only then.
func TestCrash_ResubmitsAnUnlistedSubmission(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killedAt(t, "ask", dir, batch.FailAccepted)
	requireBoughtOnce(t, dir, "FORGE_BATCH_HIDES=2") // the twin is cancelled
	p := far(dir)
	require.NoError(t, p.do(func() error { return nil }))
	require.Len(t, p.Jobs, 2)
	require.Equal(t, p.Jobs[0].Label, p.Jobs[1].Label)
	require.True(t, p.Jobs[0].Cancelled)
}

// TestCrash_KilledWhileAbandoning kills the process that cancels a run: one that cancels again, or polls the jobs, has
// the job cancelled.
func TestCrash_KilledWhileAbandoning(t *testing.T) {
	t.Parallel()
	for _, place := range []string{batch.FailAbandon, batch.FailAbandoned, batch.FailCancelled} {
		for _, then := range []string{"abandon", "poll"} {
			if place == batch.FailAbandon && then == "poll" {
				continue // the cancel reached no file
			}
			t.Run(place+", then "+then, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				killedAt(t, "ask", dir, batch.FailAcceptedKept)
				killedAt(t, "abandon", dir, place)
				_, err := process(t, then, dir)
				require.NoError(t, err)
				require.Empty(t, far(dir).bought(t))
			})
		}
	}
}

// The user who asks after a crash has the job found, and nothing is submitted.
func TestCrash_PollAfterACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killedAt(t, "ask", dir, batch.FailAccepted)
	for range 2 { // found, then asked about
		_, err := process(t, "poll", dir)
		require.NoError(t, err)
	}
	p := far(dir)
	require.NoError(t, p.do(func() error { return nil }))
	require.Len(t, p.Polls, 1)
	requireBoughtOnce(t, dir, "")
	require.NoError(t, p.do(func() error { return nil }))
	require.Len(t, p.Polls, 1, "the answers were there")
}

package flow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/flow"
)

// A replayed journal gives its results, reports the begin of each call, and does nothing; a result that it lacks, or has for
// another input, it does not give.
func TestReplay_AJournalIsPlayedBack(t *testing.T) {
	t.Parallel()
	var performed counter
	run := flow.InMemory("r1", performed.workers(), flow.DriverOptions{})
	_, err := run.Do(t.Context(), call("a", "echo", `{"x": 1}`))
	require.NoError(t, err)
	_, err = run.Do(t.Context(), call("b", "fail", `2`))
	require.Error(t, err)
	_, err = run.Do(t.Context(), call("b2", "fail", `2`))
	require.Error(t, err)
	run.Forget("node", 1)
	_, again := run.Do(t.Context(), call("b", "fail", `2`)) // another generation
	before := performed.n.Load()

	var seen []string
	back := flow.Replay("r1", run.Steps(), func(c flow.Call, s flow.Step) { seen = append(seen, c.Name) })
	require.Equal(t, "r1", back.RunID())
	output, err := back.Do(t.Context(), call("a", "echo", `{"x":1}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"x": 1}`, string(output))
	_, err = back.Do(t.Context(), call("b", "fail", `2`))
	require.Equal(t, again, err)
	require.Equal(t, []string{"a", "b"}, seen)

	_, err = back.Do(t.Context(), call("b2", "fail", `2`))
	require.ErrorIs(t, err, flow.ErrNotJournaled, "it was forgotten, and not done again")
	require.Equal(t, "b2", seen[2], "it was begun all the same")
	for _, c := range []flow.Call{call("a", "echo", `{"x": 2}`), call("c", "echo", `{"x": 1}`)} {
		_, err = back.Wait(t.Context(), c)
		require.ErrorIs(t, err, flow.ErrNotJournaled)
	}
	require.Len(t, seen, 3)
	require.Equal(t, before, performed.n.Load(), "nothing is done")
}

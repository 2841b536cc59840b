package flow_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/flow"
	"forge/internal/failpoint"
	"forge/internal/sqlite"
	"forge/internal/testkit"
)

// TestProcesses_KilledAtEveryPlace kills the process of a run at each place of the journal, before and after each write: the next
// process ends the run, and performs nothing again that had finished.
func TestProcesses_KilledAtEveryPlace(t *testing.T) {
	t.Parallel()
	places := []string{flow.FailDone + ":2", flow.FailDoneKept + ":3", sqlite.FailCommit + ":4", sqlite.FailCommitted + ":5"}
	for _, place := range testkit.Failpoints("engine/flow") {
		switch place {
		case flow.FailClaim, flow.FailClaimed, flow.FailRequest, flow.FailRequested, flow.FailForget, flow.FailForgotten:
		default:
			places = append(places, place)
		}
	}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "runs.db")
			first := killedAt(t, "play", file, place)
			finished := finishedKeys(t, file)

			again := process(t, "play", file)
			second, err := again.ended(t)
			if place == flow.FailEnded {
				require.Error(t, err, "it had ended")
			} else {
				require.NoError(t, err, again.stderr.String())
			}
			for _, key := range finished {
				require.NotContains(t, second, key, "it had finished, and was performed again")
			}
			require.LessOrEqual(t, len(first)+len(second), 5, "more than one step was begun twice")
			all := append(slices.Clone(first), second...)
			slices.Sort(all)
			require.Len(t, slices.Compact(all), 4)

			r, err := openStore(t, file, flow.Options{}).Run(t.Context(), "r1")
			require.NoError(t, err)
			require.Equal(t, flow.Done, r.State)
			require.False(t, r.Interrupted)
		})
	}
}

// killedAt lets another process die at a place, and gives what it said.
func killedAt(t *testing.T, what, file, place string) []string {
	t.Helper()
	o := process(t, what, file, failpoint.Environment+"="+place)
	lines, err := o.ended(t)
	require.Error(t, err, "no process passed %s", place)
	require.Empty(t, o.stderr.String(), "it died of something else")
	return lines
}

func finishedKeys(t *testing.T, file string) (keys []string) {
	t.Helper()
	s := openStore(t, file, flow.Options{})
	steps, err := s.Steps(t.Context(), "r1")
	require.NoError(t, err)
	for _, step := range steps {
		if step.Finished() {
			keys = append(keys, step.Key)
		}
	}
	require.NoError(t, s.Close())
	return keys
}

// TestProcesses_KilledWhileClaiming kills the process that takes a run over: a third process does, and the run ends.
func TestProcesses_KilledWhileClaiming(t *testing.T) {
	t.Parallel()
	for _, place := range []string{flow.FailClaim, flow.FailClaimed} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "runs.db")
			killedAt(t, "play", file, flow.FailDoneKept)
			killedAt(t, "play", file, place)
			last := process(t, "play", file)
			_, err := last.ended(t)
			require.NoError(t, err, last.stderr.String())
			r, err := openStore(t, file, flow.Options{}).Run(t.Context(), "r1")
			require.NoError(t, err)
			require.Equal(t, flow.Done, r.State)
		})
	}
}

// TestProcesses_KilledWhileAsking kills the process that cancels a run, or clears failures: it has happened, or it
// has not.
func TestProcesses_KilledWhileAsking(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]struct {
		state     flow.State
		forgotten bool
	}{
		flow.FailRequest:   {flow.Running, false},
		flow.FailRequested: {flow.Cancelled, false},
		flow.FailForget:    {flow.Running, false},
		flow.FailForgotten: {flow.Running, true},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "runs.db")
			s := openStore(t, file, flow.Options{})
			l := begin(t, s, "r1")
			_, err := flow.New(l, new(counter).workers(), flow.DriverOptions{}).Do(t.Context(), call("a", "fail", ""))
			require.Error(t, err)
			require.NoError(t, l.Release(t.Context()))
			what := "cancel"
			if strings.Contains(place, "forg") {
				what = "forget"
			}
			killedAt(t, what, file, place)
			r, err := s.Run(t.Context(), "r1")
			require.NoError(t, err)
			steps, err := s.Steps(t.Context(), "r1")
			require.NoError(t, err)
			require.Equal(t, want.state, r.State)
			require.Equal(t, want.forgotten, steps[0].Forgotten)
		})
	}
}

// TestProcesses_ADeadOwnerIsKnownAtOnce kills the owner of a run on this machine: the run can be taken over right then, and not
// before.
func TestProcesses_ADeadOwnerIsKnownAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runs.db")
	owner := process(t, "hold", file, "FORGE_FLOW_CLOCK=stands")
	require.Equal(t, "held", owner.says(t))
	s := openStore(t, file, flow.Options{Now: stands})
	_, err := s.Claim(t.Context(), "r1")
	require.ErrorIs(t, err, flow.ErrHeld)
	require.Empty(t, interrupted(t, s))
	_, err = s.Forget(t.Context(), "r1", "", 0)
	require.ErrorIs(t, err, flow.ErrHeld)

	require.NoError(t, owner.Process.Kill())
	_, err = owner.ended(t)
	require.Error(t, err)
	require.Equal(t, []string{"r1"}, interrupted(t, s))
	l, err := s.Claim(t.Context(), "r1")
	require.NoError(t, err)
	require.Empty(t, interrupted(t, s))
	require.NoError(t, l.End(t.Context(), flow.Done, "", nil))
}

func interrupted(t *testing.T, s *flow.Store) (ids []string) {
	t.Helper()
	runs, err := s.Runs(t.Context(), flow.Filter{Interrupted: true})
	require.NoError(t, err)
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}

// stands is a clock by which no owner is ever late: only the death of its process counts.
func stands() time.Time { return time.Unix(1e9, 0) }

// TestProcesses_OneOfManyWinsARun lets processes claim a run at the same moment.
func TestProcesses_OneOfManyWinsARun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runs.db")
	for range 5 {
		s := openStore(t, file, flow.Options{})
		if l, err := s.Begin(t.Context(), flow.NewRun{ID: "r1"}); err == nil {
			require.NoError(t, l.Release(t.Context()))
		}
		var all []*other
		for range 3 {
			all = append(all, process(t, "race", file, "FORGE_FLOW_CLOCK=stands"))
		}
		for _, o := range all {
			require.Equal(t, "ready", o.says(t))
		}
		for _, o := range all {
			_, err := o.in.Write([]byte("go\n"))
			require.NoError(t, err)
		}
		var said []string
		for _, o := range all {
			said = append(said, o.says(t))
		}
		for _, o := range all {
			_ = o.Process.Kill() // those who lost have ended
			_, _ = o.ended(t)
		}
		slices.Sort(said)
		require.Empty(t, cmp.Diff([]string{"lost", "lost", "won"}, said))
	}
}

// TestProcesses_CancellationReachesAnotherProcess cancels a run that another process works on, and again once it was taken up.
func TestProcesses_CancellationReachesAnotherProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runs.db")
	s := openStore(t, file, flow.Options{})
	for range 2 {
		owner := process(t, "obey", file)
		require.Equal(t, "working", owner.says(t))
		require.NoError(t, s.Cancel(t.Context(), "r1"))
		require.Equal(t, "the run is cancelled", owner.says(t))
		_, err := owner.ended(t)
		require.NoError(t, err, owner.stderr.String())
		r, err := s.Run(t.Context(), "r1")
		require.NoError(t, err)
		require.Equal(t, flow.Cancelled, r.State)
		steps, err := s.Steps(t.Context(), "r1")
		require.NoError(t, err)
		require.Len(t, steps, 1)
		require.False(t, steps[0].Finished(), "a cancellation was journaled as a result")
	}
}

// TestProcesses_SilentOwnerIsTakenForDead after two seconds, on a machine whose processes are invisible here.
// When it writes nevertheless, nothing of it is journaled.
func TestProcesses_SilentOwnerIsTakenForDead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runs.db")
	at := func(seconds int64, by flow.Owner) *flow.Store {
		return openStore(t, file, flow.Options{Owner: by, Now: func() time.Time { return time.Unix(1e9+seconds, 0) }})
	}
	far := at(0, flow.Owner{Host: "far", PID: 1})
	lost := begin(t, far, "r1")
	_, err := at(1, flow.Owner{}).Claim(t.Context(), "r1")
	require.ErrorIs(t, err, flow.ErrHeld)
	var performed counter
	f := flow.New(lost, performed.workers(), flow.DriverOptions{})
	_, err = f.Do(t.Context(), call("before", "echo", "1"))
	require.NoError(t, err)

	won, err := at(3, flow.Owner{}).Claim(t.Context(), "r1")
	require.NoError(t, err)
	_, err = f.Do(t.Context(), call("after", "echo", "2"))
	require.ErrorIs(t, err, flow.ErrFenced)
	require.ErrorIs(t, lost.Err(), flow.ErrFenced)
	require.ErrorIs(t, lost.End(t.Context(), flow.Failed, "", nil), flow.ErrFenced)
	steps, err := far.Steps(t.Context(), "r1")
	require.NoError(t, err)
	require.Len(t, steps, 1)
	r, err := far.Run(t.Context(), "r1")
	require.NoError(t, err)
	require.Equal(t, flow.Running, r.State)
	require.NoError(t, won.End(t.Context(), flow.Done, "", nil))
}

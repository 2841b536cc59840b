package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"forge/engine/flow"
)

func TestStore_ARunAsTheStoreKnowsIt(t *testing.T) {
	t.Parallel()
	owner := flow.ThisProcess()
	s := openStore(t, filepath.Join(t.TempDir(), "runs.db"), flow.Options{Owner: owner, Now: stands})
	l := begin(t, s, "r1")
	want := flow.Run{
		ID: "r1", Kind: "test", Folder: "/w", Title: "A run", Input: json.RawMessage(`{"a":1}`), Base: "b",
		State: flow.Running, Started: stands().UTC(), Owner: owner, Heartbeat: stands().UTC(),
	}
	got := func() flow.Run {
		r, err := s.Run(t.Context(), "r1")
		require.NoError(t, err)
		return r
	}
	opaque := cmpopts.IgnoreUnexported(flow.Run{})
	require.Empty(t, cmp.Diff(want, got(), opaque))
	_, err := s.Begin(t.Context(), flow.NewRun{ID: "r1"})
	require.ErrorIs(t, err, flow.ErrExists)
	_, err = s.Run(t.Context(), "r2")
	require.ErrorIs(t, err, flow.ErrNoRun)
	_, err = s.Claim(t.Context(), "r2")
	require.ErrorIs(t, err, flow.ErrNoRun)

	require.Error(t, l.End(t.Context(), flow.Running, "", nil))
	require.NoError(t, l.End(t.Context(), flow.Failed, "a gate", json.RawMessage(`{"b":2}`)))
	want.State, want.Reason, want.Result, want.Ended = flow.Failed, "a gate", json.RawMessage(`{"b":2}`), stands().UTC()
	want.Owner = flow.Owner{}
	require.Empty(t, cmp.Diff(want, got(), opaque))
	require.ErrorIs(t, l.End(t.Context(), flow.Done, "", nil), flow.ErrReleased)
	require.NoError(t, l.Release(t.Context()))
	require.Empty(t, cmp.Diff(want, got(), opaque))
}

func TestStore_RunsAreFiltered(t *testing.T) {
	t.Parallel()
	now := stands()
	s := openStore(t, filepath.Join(t.TempDir(), "runs.db"), flow.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	for i, state := range []flow.State{flow.Done, flow.Failed, flow.Running, flow.Cancelled} {
		l, err := s.Begin(t.Context(), flow.NewRun{ID: fmt.Sprint(i), Kind: fmt.Sprint("kind", i%2), Folder: fmt.Sprint("/w", i/2)})
		require.NoError(t, err)
		if state == flow.Running {
			require.NoError(t, l.Release(t.Context()))
		} else {
			require.NoError(t, l.End(t.Context(), state, "", nil))
		}
	}
	second, err := s.Run(t.Context(), "1")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		filter flow.Filter
		want   []string
	}{
		"all":         {flow.Filter{}, []string{"3", "2", "1", "0"}},
		"states":      {flow.Filter{States: []flow.State{flow.Cancelled, flow.Done}}, []string{"3", "0"}},
		"interrupted": {flow.Filter{Interrupted: true}, []string{"2"}},
		"since":       {flow.Filter{Since: second.Started}, []string{"3", "2", "1"}},
		"one":         {flow.Filter{ID: "2"}, []string{"2"}},
		"none":        {flow.Filter{ID: "9"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			runs, err := s.Runs(t.Context(), c.filter)
			require.NoError(t, err)
			var ids []string
			for _, r := range runs {
				ids = append(ids, r.ID)
			}
			require.Equal(t, c.want, ids)
		})
	}
}

func TestStore_ARunOfOtherCode(t *testing.T) {
	t.Parallel()
	s := store(t)
	var performed counter
	l := begin(t, s, "r1")
	f := flow.New(l, performed.workers(), flow.DriverOptions{})
	_, err := f.Do(t.Context(), call("a", "echo", `{"x": 1}`))
	require.NoError(t, err)
	_, err = f.Do(t.Context(), call("a", "echo", ` {"x" : 1}`))
	require.NoError(t, err, "blanks are no other input")
	for name, other := range map[string]flow.Call{"input": call("a", "echo", `{"x": 2}`), "activity": call("a", "plain", `{"x": 1}`)} {
		var diverged *flow.DivergedError
		_, err = f.Do(t.Context(), other)
		require.ErrorAs(t, err, &diverged, name)
		require.Contains(t, err.Error(), "r1")
	}
	_, err = f.Wait(t.Context(), call("a", "echo", `{"x": 1}`))
	require.Error(t, err, "another kind of step")
	require.EqualValues(t, 1, performed.n.Load())
	require.NoError(t, l.End(t.Context(), flow.Done, "", nil))
}

// TestStore_AnotherInputOfAStepThatNeverFinished is no other code: nothing is used of it.
func TestStore_AnotherInputOfAStepThatNeverFinished(t *testing.T) {
	t.Parallel()
	s := store(t)
	l := begin(t, s, "r1")
	ctx, cancel := context.WithCancel(t.Context())
	workers := worker(func(_ context.Context, _ string, input json.RawMessage) (json.RawMessage, error) {
		if ctx.Err() == nil {
			cancel()
			return nil, ctx.Err()
		}
		return input, nil
	})
	_, err := flow.New(l, workers, flow.DriverOptions{}).Do(ctx, call("a", "work", "1"))
	require.ErrorIs(t, err, context.Canceled)
	output, err := flow.New(l, workers, flow.DriverOptions{}).Do(t.Context(), call("a", "work", "2"))
	require.NoError(t, err)
	require.Equal(t, "2", string(output))
	steps, err := s.Steps(t.Context(), "r1")
	require.NoError(t, err)
	require.Len(t, steps, 2)
	require.NotEqual(t, steps[0].Key, steps[1].Key)
	require.NoError(t, l.End(t.Context(), flow.Done, "", nil))
}

// TestStore_Forget plays a failed run again: what failed is performed again with another key, what succeeded is not, and what
// followed from the failure may differ. Both journals do the same.
func TestStore_Forget(t *testing.T) {
	t.Parallel()
	s := store(t)
	l := begin(t, s, "r1")
	broken := true
	var keys []string
	workers := worker(func(_ context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		keys = append(keys, key)
		if broken && string(input) == `"fragile"` {
			return nil, fmt.Errorf("the model: %w", &flow.Failure{Kind: "overload", Message: "broken"})
		}
		return input, nil
	})
	play := func(f flow.Flow) (out []string) {
		for i, input := range []string{`"sound"`, `"fragile"`} {
			output, err := f.Do(t.Context(), call(fmt.Sprint(i), "work", input))
			out = append(out, fmt.Sprint(string(output), err))
		}
		output, err := f.Do(t.Context(), call("last", "work", fmt.Sprintf("%q", out[1])))
		return append(out, fmt.Sprint(string(output), err))
	}
	m := flow.InMemory("r1", workers, flow.DriverOptions{})
	failed := play(flow.New(l, workers, flow.DriverOptions{}))
	require.Equal(t, failed, play(m))
	require.Contains(t, failed[1], "the model: broken")
	require.Equal(t, &flow.Failure{Kind: "overload", Message: "the model: broken"}, m.Steps()[1].Failure)
	require.NoError(t, l.End(t.Context(), flow.Failed, "", nil))

	for _, c := range []struct {
		node    string
		attempt int
	}{{"another", 1}, {"node", 2}} {
		n, err := s.Forget(t.Context(), "r1", c.node, c.attempt)
		require.NoError(t, err)
		require.Zero(t, n)
		require.Zero(t, m.Forget(c.node, c.attempt))
	}
	n, err := s.Forget(t.Context(), "r1", "node", 1)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, 1, m.Forget("node", 1))

	broken, keys = false, nil
	l, err = s.Claim(t.Context(), "r1")
	require.NoError(t, err)
	m = m.Again()
	repaired := play(flow.New(l, workers, flow.DriverOptions{}))
	require.Equal(t, repaired, play(m))
	require.Equal(t, []string{`"sound"<nil>`, `"fragile"<nil>`}, repaired[:2])
	require.Len(t, keys, 4, "two of the store's run, two of the other")
	require.Equal(t, keys[:2], keys[2:], "both have the same keys")

	keys = nil
	require.Equal(t, repaired, play(flow.New(l, workers, flow.DriverOptions{})))
	require.Equal(t, repaired, play(m.Again()))
	require.Empty(t, keys)
	_, err = flow.New(l, workers, flow.DriverOptions{}).Do(t.Context(), call("last", "work", "0"))
	var diverged *flow.DivergedError
	require.ErrorAs(t, err, &diverged, "after the retry, other code is other code")
	steps, err := s.Steps(t.Context(), "r1")
	require.NoError(t, err)
	require.Len(t, steps, 5, "something was deleted")
	ignore := cmpopts.IgnoreFields(flow.Step{}, "Started", "Ended")
	require.Empty(t, cmp.Diff(steps, m.Steps(), ignore))
	require.NoError(t, l.End(t.Context(), flow.Done, "", nil))
}

func TestStore_Cancel(t *testing.T) {
	t.Parallel()
	s := store(t)
	state := func() flow.Run {
		r, err := s.Run(t.Context(), "r1")
		require.NoError(t, err)
		return r
	}
	l := begin(t, s, "r1")
	require.NoError(t, s.Cancel(t.Context(), "r1"))
	require.Equal(t, flow.RequestCancel, state().Requested)
	require.NoError(t, l.Release(t.Context()))

	l, err := s.Claim(t.Context(), "r1") // the owner died before it heeded the request
	require.NoError(t, err)
	ctx, cancel := l.Context(t.Context())
	<-ctx.Done()
	cancel()
	require.ErrorIs(t, context.Cause(ctx), flow.ErrCancelled)
	_, err = flow.New(l, new(counter).workers(), flow.DriverOptions{}).Do(t.Context(), call("a", "echo", ""))
	require.ErrorIs(t, err, flow.ErrCancelled)
	require.NoError(t, l.End(t.Context(), flow.Cancelled, "", nil))

	l, err = s.Claim(t.Context(), "r1")
	require.NoError(t, err)
	require.Equal(t, flow.RequestNone, state().Requested)
	require.NoError(t, l.Release(t.Context()))
	require.NoError(t, s.Cancel(t.Context(), "r1"), "no process works on it")
	require.Equal(t, flow.Cancelled, state().State)
	require.False(t, state().Ended.IsZero())
	require.ErrorIs(t, s.Cancel(t.Context(), "r1"), flow.ErrEnded)
	require.ErrorIs(t, s.Cancel(t.Context(), "r2"), flow.ErrNoRun)
}

func TestStore_Prune(t *testing.T) {
	t.Parallel()
	day := 0
	s := openStore(t, filepath.Join(t.TempDir(), "runs.db"), flow.Options{Now: func() time.Time { return stands().AddDate(0, 0, day) }})
	for ; day < 10; day++ {
		l := begin(t, s, fmt.Sprint(day))
		_, err := flow.New(l, new(counter).workers(), flow.DriverOptions{}).Do(t.Context(), call("a", "echo", ""))
		require.NoError(t, err)
		if day == 1 {
			require.NoError(t, l.Release(t.Context()))
			continue
		}
		require.NoError(t, l.End(t.Context(), flow.Done, "", nil))
	}
	for _, c := range []struct {
		retention flow.Retention
		want      []string
	}{
		{flow.Retention{Keep: 10, Before: stands().AddDate(1, 0, 0)}, nil},
		{flow.Retention{}, nil},
		{flow.Retention{Keep: 3, Before: stands().AddDate(0, 0, 4)}, []string{"0", "2", "3"}},
		{flow.Retention{Keep: 3, Before: stands().AddDate(1, 0, 0)}, []string{"4", "5", "6"}},
	} {
		deleted, err := s.Prune(t.Context(), c.retention)
		require.NoError(t, err)
		require.ElementsMatch(t, c.want, deleted)
		for _, id := range deleted {
			steps, err := s.Steps(t.Context(), id)
			require.NoError(t, err)
			require.Empty(t, steps)
		}
	}
	steps, err := s.Steps(t.Context(), "1")
	require.NoError(t, err)
	require.Len(t, steps, 1)
}

// TestStore_AFlippedBitInAResultIsFound changes one bit of what was journaled, where SQLite does not see it: it is not used.
func TestStore_AFlippedBitInAResultIsFound(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"a result": "a very long answer", "an input": "a very long request"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "runs.db")
			s := openStore(t, file, flow.Options{})
			l, err := s.Begin(t.Context(), flow.NewRun{ID: "r1", Input: json.RawMessage(`"a very long request"`)})
			require.NoError(t, err)
			workers := worker(func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`"a very long answer"`), nil
			})
			_, err = flow.New(l, workers, flow.DriverOptions{}).Do(t.Context(), call("a", "work", ""))
			require.NoError(t, err)
			require.NoError(t, l.Release(t.Context()))
			require.NoError(t, s.Close())
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, string(content), text)
			require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(content, []byte(text), []byte("b"+text[1:])), 0o600))

			s = openStore(t, file, flow.Options{})
			if l, err = s.Claim(t.Context(), "r1"); err == nil {
				_, err = flow.New(l, workers, flow.DriverOptions{}).Do(t.Context(), call("a", "work", ""))
			}
			require.ErrorIs(t, err, flow.ErrDamaged)
		})
	}
}

// TestStore_TwoStoresOfOneFile: what one process journals, another reads.
func TestStore_TwoStoresOfOneFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runs.db")
	a, b := openStore(t, file, flow.Options{}), openStore(t, file, flow.Options{})
	l := begin(t, a, "r1")
	_, err := flow.New(l, new(counter).workers(), flow.DriverOptions{}).Do(t.Context(), call("a", "echo", "1"))
	require.NoError(t, err)
	steps, err := b.Steps(t.Context(), "r1")
	require.NoError(t, err)
	require.Len(t, steps, 1)
	require.NoError(t, l.End(t.Context(), flow.Done, "", nil))
	runs, err := b.Runs(t.Context(), flow.Filter{States: []flow.State{flow.Done}})
	require.NoError(t, err)
	require.Len(t, runs, 1)
}

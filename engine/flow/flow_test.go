package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/flow"
)

// store is a store in a new folder.
func store(t testing.TB) *flow.Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "runs.db"), flow.Options{})
}

func openStore(t testing.TB, file string, o flow.Options) *flow.Store {
	t.Helper()
	if o.Note == nil {
		o.Note = func(text string) { t.Errorf("unexpected note: %s", text) }
	}
	s, err := flow.OpenStore(t.Context(), file, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func begin(t testing.TB, s *flow.Store, id string) *flow.Lease {
	t.Helper()
	l, err := s.Begin(t.Context(), flow.NewRun{ID: id, Kind: "test", Folder: "/w", Title: "A run", Input: json.RawMessage(`{"a": 1}`), Base: "b"})
	require.NoError(t, err)
	return l
}

// counter is a worker that counts how often it was performed, and gives the input back.
type counter struct{ n atomic.Int64 }

func (c *counter) workers() map[string]flow.Worker {
	return map[string]flow.Worker{
		"echo": {Activity: func(_ context.Context, _ string, input json.RawMessage) (json.RawMessage, error) {
			c.n.Add(1)
			return input, nil
		}},
		"fail": {Activity: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			c.n.Add(1)
			return nil, &flow.Failure{Kind: "test", Message: "it fails"}
		}},
		"plain": {Activity: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			c.n.Add(1)
			return nil, errors.New("a plain error")
		}},
	}
}

func call(name, do, input string) flow.Call {
	return flow.Call{Node: "node", Attempt: 1, Name: name, Do: do, Input: json.RawMessage(input)}
}

// TestFlow_AFinishedStepIsNeverPerformedAgain plays a run twice: what is given is the same, and performed once.
func TestFlow_AFinishedStepIsNeverPerformedAgain(t *testing.T) {
	t.Parallel()
	s := store(t)
	var performed counter
	play := func(f flow.Flow) (results []string) {
		for _, c := range []flow.Call{call("a", "echo", `{"x": 1}`), call("b", "fail", `2`), call("c", "plain", ``)} {
			output, err := f.Do(t.Context(), c)
			results = append(results, string(output), fmt.Sprintf("%#v", err))
		}
		output, err := f.Wait(t.Context(), call("d", "echo", `"yes"`))
		results = append(results, string(output), fmt.Sprint(err))
		for _, r := range flow.SideBySide(t.Context(), f, []flow.Call{call("e", "echo", `5`), call("f", "fail", `6`)}) {
			results = append(results, string(r.Output), fmt.Sprint(r.Err))
		}
		return results
	}
	l := begin(t, s, "r1")
	first := play(flow.New(l, performed.workers(), flow.DriverOptions{}))
	require.NoError(t, l.Release(t.Context()))
	require.EqualValues(t, 6, performed.n.Load())

	l, err := s.Claim(t.Context(), "r1")
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(first, play(flow.New(l, performed.workers(), flow.DriverOptions{}))))
	require.EqualValues(t, 6, performed.n.Load())
	require.NoError(t, l.End(t.Context(), flow.Done, "", json.RawMessage(`1`)))
	_, err = s.Claim(t.Context(), "r1")
	require.ErrorIs(t, err, flow.ErrEnded)
}

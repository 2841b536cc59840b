package spare

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/step"
	"forge/patch"
)

var vetting = step.GateCall{State: step.State{Base: "b"}, Gate: "go vet"}

// later returns when the clock of a bubble is further.
func later(d time.Duration) { <-time.After(d) }

// A model that answers at once leaves no time: nothing is started.
func TestSpare_StartsNothingBesideAModelThatAnswersAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Time{}
		s.Want([]step.GateCall{vetting})
		s.About([]string{"a_test.go"})
		over := s.During(t.Context(), func(context.Context, step.GateCall) (gate.Report, error) {
			t.Error("a gate was started")
			return gate.Report{}, nil
		})
		later(patience - time.Millisecond)
		over()
		_, known := s.Report(vetting)
		require.False(t, known)
	})
}

// What ends while a model is awaited is known to calls for the whole tree without a change, and to no others.
func TestSpare_AnswersCallsForTheWholeTree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, found := &Time{}, gate.Report{Gate: "go vet", Verdict: gate.Fail, Elapsed: time.Second}
		over := s.During(t.Context(), func(_ context.Context, c step.GateCall) (gate.Report, error) {
			require.Equal(t, []string{"a_test.go"}, c.Scope.Changed)
			return found, nil
		})
		later(2 * patience)
		s.About([]string{"a_test.go"})
		synctest.Wait()
		s.Want([]step.GateCall{vetting}) // the suites of the baseline have ended
		synctest.Wait()
		over()
		report, known := s.Report(step.GateCall{State: vetting.State, Gate: "go vet", Scope: gate.Scope{Changed: []string{"a.go"}}})
		require.True(t, known)
		require.Equal(t, found, report)
		for what, other := range map[string]step.GateCall{
			"another gate":     {State: vetting.State, Gate: "go build"},
			"another snapshot": {State: step.State{Base: "c"}, Gate: "go vet"},
			"a change":         {State: vetting.State.With(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: "a.go", After: "x"}}}), Gate: "go vet"},
			"a new run":        {State: vetting.State, Gate: "go vet", Fresh: true},
			"part of the tree": {State: vetting.State, Gate: "go vet", Scope: gate.Scope{Changed: []string{"a.go"}, Reach: gate.ReachNear}},
			"some tests":       {State: vetting.State, Gate: "go vet", Scope: gate.Scope{Only: []string{"TestA"}}},
			"nothing kept":     {State: vetting.State, Gate: "go vet", Scope: gate.Scope{Uncached: true}},
		} {
			_, known := s.Report(other)
			require.False(t, known, what)
		}
		_, known = (*Time)(nil).Report(vetting)
		require.False(t, known)
	})
}

// The answer of a model stops a gate, and the gate has ended when the answer is used. It runs again beside the next call.
func TestSpare_StopsWhenTheModelHasAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, begun, running := &Time{}, 0, false
		s.Want([]step.GateCall{vetting})
		s.About([]string{"a_test.go"})
		long := func(ctx context.Context, _ step.GateCall) (gate.Report, error) {
			begun, running = begun+1, true
			defer func() { running = false }()
			select {
			case <-ctx.Done():
				later(time.Second) // its processes end
				return gate.Report{Verdict: gate.Error}, ctx.Err()
			case <-time.After(time.Minute):
				return gate.Report{Verdict: gate.Pass}, nil
			}
		}
		over := s.During(t.Context(), long)
		later(2 * patience)
		synctest.Wait()
		require.True(t, running)
		over()
		require.False(t, running)
		_, known := s.Report(vetting)
		require.False(t, known)
		over = s.During(t.Context(), long)
		later(2 * time.Minute)
		over()
		require.Equal(t, 2, begun)
		_, known = s.Report(vetting)
		require.True(t, known)
	})
}

// A gate that could not judge says nothing: the change's own check runs it again.
func TestSpare_KeepsVerdictsOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		report gate.Report
		err    error
	}{
		"an error": {gate.Report{Verdict: gate.Error}, nil}, "not run": {gate.Report{Verdict: gate.NotRun}, nil}, "no tree": {gate.Report{Verdict: gate.Pass}, errors.New("no room")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &Time{}
				s.Want([]step.GateCall{vetting})
				s.About([]string{"a_test.go"})
				over := s.During(t.Context(), func(context.Context, step.GateCall) (gate.Report, error) { return c.report, c.err })
				later(2 * patience)
				over()
				_, known := s.Report(vetting)
				require.False(t, known)
			})
		})
	}
}

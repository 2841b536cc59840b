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
)

var (
	formatting = step.GateCall{State: step.State{Base: "b"}, Gate: "gofmt"}
	suiting    = step.GateCall{State: step.State{Base: "b"}, Gate: "go test", Scope: gate.Scope{List: true}}
)

// minute is a gate that takes a minute, and reports its verdict unless it is stopped. It counts its executions.
type minute struct {
	verdict gate.Verdict
	err     error
	begun   []string
	running int
}

func (m *minute) run(ctx context.Context, c step.GateCall) (gate.Report, error) {
	m.begun, m.running = append(m.begun, c.Gate), m.running+1
	defer func() { m.running-- }()
	select {
	case <-ctx.Done():
		return gate.Report{Verdict: gate.Error}, ctx.Err()
	case <-time.After(time.Minute):
		return gate.Report{Gate: c.Gate, Verdict: m.verdict}, m.err
	}
}

// What a run needs next begins while a model is awaited. The answer does not stop it, and the step that needs it gets that execution.
func TestSpare_NeededGateOutlivesTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, gates := &Time{}, &minute{verdict: gate.Pass}
		s.Need([]step.GateCall{formatting, suiting})
		ctx, cancel := context.WithCancel(t.Context())
		over := s.During(ctx, gates.run)
		later(2 * patience)
		over()
		cancel()
		synctest.Wait()
		require.Equal(t, []string{"gofmt"}, gates.begun)
		for _, c := range []step.GateCall{formatting, suiting} {
			report, known := s.Begun(t.Context(), c)
			require.True(t, known)
			require.Equal(t, c.Gate, report.Gate)
		}
		synctest.Wait()
		require.Equal(t, []string{"gofmt", "go test"}, gates.begun)
		_, known := s.Begun(t.Context(), suiting)
		require.False(t, known, "a repeated call asks for a new execution")
		s.Close()
	})
}

// A step that asks for a gate before it has begun executes it itself, and for another scope, too.
func TestSpare_NeededGateIsNotExecutedTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, gates := &Time{}, &minute{verdict: gate.Pass}
		s.Need([]step.GateCall{formatting, suiting})
		over := s.During(t.Context(), gates.run)
		later(2 * patience)
		_, known := s.Begun(t.Context(), step.GateCall{State: suiting.State, Gate: "go test"})
		require.False(t, known, "another scope")
		_, known = s.Begun(t.Context(), suiting)
		require.False(t, known, "not begun")
		later(2 * time.Minute)
		over()
		synctest.Wait()
		require.Equal(t, []string{"gofmt"}, gates.begun)
		s.Close()
	})
}

// A report without a verdict is that of the step, once: a suite that ran out of time does not run for as long again. A gate that had no tree is
// executed by the step that needs it.
func TestSpare_NeededGateWithoutAVerdict(t *testing.T) {
	t.Parallel()
	for name, gates := range map[string]*minute{
		"an error": {verdict: gate.Error}, "not run": {verdict: gate.NotRun}, "no tree": {verdict: gate.Pass, err: errors.New("no room")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &Time{}
				s.Need([]step.GateCall{formatting})
				over := s.During(t.Context(), gates.run)
				later(2 * patience)
				over()
				report, known := s.Begun(t.Context(), formatting)
				require.Equal(t, gates.err == nil, known)
				require.Equal(t, gates.verdict, report.Verdict)
				_, known = s.Begun(t.Context(), formatting)
				require.False(t, known, "a repeated call asks for a new execution")
				s.Close()
			})
		})
	}
}

// Nothing needed begins beside a model that answers at once, once the run has what it needed, or after the end of the run; what is running then is stopped.
func TestSpare_NeededGateEndsWithTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, gates := &Time{}, &minute{verdict: gate.Pass}
		s.Need([]step.GateCall{formatting, suiting})
		over := s.During(t.Context(), gates.run)
		later(patience / 2)
		over()
		require.Empty(t, gates.begun, "the model answered at once")

		measured := &Time{}
		measured.Need([]step.GateCall{formatting})
		measured.Want(nil) // the baseline of a resumed run is in its journal
		over = measured.During(t.Context(), gates.run)
		later(2 * patience)
		over()
		require.Empty(t, gates.begun, "the run has what it needed")

		over = s.During(t.Context(), gates.run)
		later(2 * patience)
		over()
		synctest.Wait()
		require.Equal(t, 1, gates.running)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, known := s.Begun(ctx, formatting)
		require.False(t, known)
		s.Close()
		require.Zero(t, gates.running)
		require.Equal(t, []string{"gofmt"}, gates.begun)
	})
}

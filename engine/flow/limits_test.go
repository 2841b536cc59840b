package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/flow"
)

func worker(a flow.Activity) map[string]flow.Worker {
	return map[string]flow.Worker{"work": {Activity: a}}
}

// untilTold is an activity that ends only when its context does.
func untilTold(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("told to end: %w", ctx.Err())
}

func TestLimits_EndAnActivityThatTakesTooLong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		worker flow.Worker
		kind   string
		after  time.Duration
	}{
		"too long": {flow.Worker{Activity: untilTold, Timeout: time.Minute}, flow.FailureTimeout, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := flow.InMemory("r1", map[string]flow.Worker{"work": c.worker}, flow.DriverOptions{})
				began := time.Now()
				_, err := m.Do(t.Context(), call("a", "work", ""))
				var f *flow.Failure
				require.ErrorAs(t, err, &f)
				require.Equal(t, c.kind, f.Kind)
				require.Equal(t, c.after, time.Since(began).Round(time.Minute))
				again := m.Again()
				_, replayed := again.Do(t.Context(), call("a", "work", ""))
				require.Equal(t, err, replayed)
				require.Empty(t, again.Performed())
			})
		})
	}
}

// TestLimits_AResultThatComesLateCounts: a billed result is not thrown away.
func TestLimits_AResultThatComesLateCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		late := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			cancel()
			time.Sleep(time.Hour) //nolint:forbidigo // the bubble's clock: it takes no time
			return json.RawMessage(`"paid"`), nil
		}
		m := flow.InMemory("r1", map[string]flow.Worker{"work": {Activity: late, Timeout: time.Minute}}, flow.DriverOptions{})
		output, err := m.Do(ctx, call("a", "work", ""))
		require.NoError(t, err)
		require.JSONEq(t, `"paid"`, string(output))
		require.True(t, m.Steps()[0].Finished())
		_, err = m.Do(ctx, call("b", "work", ""))
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, m.Performed(), 1)
	})
}

// TestLimits_TheContextsErrorIsNotJournaled: a step that is broken off is performed when the run is played again.
func TestLimits_TheContextsErrorIsNotJournaled(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]error{"as the context says": nil, "as a failure": &flow.Failure{Message: "broken off"}, "by another error": errors.New("pipe closed")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			m := flow.InMemory("r1", worker(func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				cancel()
				<-ctx.Done()
				if broken == nil {
					return nil, ctx.Err()
				}
				return nil, broken
			}), flow.DriverOptions{})
			_, err := m.Do(ctx, call("a", "work", ""))
			require.ErrorIs(t, err, context.Canceled)
			steps := m.Steps()
			require.Len(t, steps, 1, "that it was begun is not to be seen")
			require.False(t, steps[0].Finished())
			again := m.Again()
			_, _ = again.Do(ctx, call("a", "work", "")) // the context has ended
			require.Empty(t, again.Performed())
			require.Equal(t, 1, again.Steps()[0].Starts)
		})
	}
}

// TestLimits_TheSameStepTwiceAtOnce is performed once.
func TestLimits_TheSameStepTwiceAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := flow.InMemory("r1", worker(func(_ context.Context, _ string, input json.RawMessage) (json.RawMessage, error) {
			<-time.After(time.Minute)
			return input, nil
		}), flow.DriverOptions{})
		for _, r := range flow.SideBySide(t.Context(), m, []flow.Call{call("a", "work", "7"), call("a", "work", "7")}) {
			require.NoError(t, r.Err)
			require.Equal(t, "7", string(r.Output))
		}
		require.Len(t, m.Performed(), 1)
	})
}

func TestLimits_UnknownActivityFails(t *testing.T) {
	t.Parallel()
	m := flow.InMemory("r1", nil, flow.DriverOptions{})
	_, err := m.Do(t.Context(), call("a", "cook", ""))
	require.ErrorContains(t, err, "cook")
	require.Empty(t, m.Steps())
}

// TestLimits_LocalFailuresAreNotJournaled: what the machine could not do is done when it can, and a failure is not.
func TestLimits_LocalFailuresAreNotJournaled(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	tests := map[string]struct {
		err       error
		performed int // when the run is played again
	}{
		"for want of room": {fmt.Errorf("make a tree: %w", &flow.UnableError{Cause: full}), 1},
		"for good":         {&flow.Failure{Message: "there is no such file"}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := flow.InMemory("r1", worker(func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return nil, test.err
			}), flow.DriverOptions{})
			_, err := m.Do(t.Context(), call("a", "work", ""))
			require.Error(t, err)
			require.Equal(t, test.performed == 1, errors.Is(err, full))
			again := m.Again()
			_, err = again.Do(t.Context(), call("a", "work", ""))
			require.Error(t, err)
			require.Len(t, again.Performed(), test.performed)
		})
	}
}

// A step that was cut off is completed by Again, where a worker has one; a step that was not begun is performed as usual.
func TestWorker_AgainCompletesAStepThatWasCutOff(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := flow.InMemory("r1", map[string]flow.Worker{"work": {
		Activity: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			cancel()
			return json.RawMessage(`"first"`), ctx.Err()
		},
		Again: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`"again"`), nil
		},
	}}, flow.DriverOptions{})
	_, err := m.Do(ctx, call("a", "work", ""))
	require.ErrorIs(t, err, context.Canceled)
	m = m.Again()
	for range 2 {
		output, err := m.Do(t.Context(), call("a", "work", ""))
		require.NoError(t, err)
		require.JSONEq(t, `"again"`, string(output))
	}
	output, err := m.Do(t.Context(), call("b", "work", ""))
	require.NoError(t, err)
	require.JSONEq(t, `"first"`, string(output))
}

package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/flow"
)

// full is a flow that cannot keep its n-th step: the disk is full, for a moment.
type full struct {
	*flow.Memory
	left int
}

func (f *full) Do(ctx context.Context, c flow.Call) (json.RawMessage, error) {
	if f.left--; f.left == -1 {
		return nil, errors.New("the disk is full")
	}
	return f.Memory.Do(ctx, c)
}

// A step that cannot be stored ends the run, which reports why; the model is not asked to repair it. When there
// is room again, the run continues as if nothing had happened.
func TestRun_StepThatCannotBeKeptEndsTheRun(t *testing.T) {
	t.Parallel()
	whole := newEpisode(t, eventful)
	want := whole.run(t)
	for n := range len(whole.flow.Performed()) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, eventful)
			e.flow = flow.InMemory("r-1", e.workers(), flow.DriverOptions{})
			e.env.Flow, e.env.Pool = &full{Memory: e.flow, left: n}, inSequence
			result := Run(t.Context(), e.env, e.task)
			require.Contains(t, []event.State{event.Blocked, event.Failed}, result.State)
			require.Contains(t, result.Reason, "the disk is full")
			require.NotEmpty(t, result.Retry.Stuck)
			for _, r := range e.script.Requests() {
				for _, m := range r.Messages {
					require.NotContains(t, m.Text, "the disk is full")
				}
			}

			e.env.Pool = inSequence
			require.Equal(t, want, e.again(t))
			require.NoError(t, e.script.Verify())
		})
	}
}

// A task of a megabyte is more than a model can be shown, and is said to be: no model is asked.
func TestRun_TaskThatIsTooLong(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, "- {match: {node: spec}, reply: {text: never}}")
	e.env.Window = 84_000
	e.task.Text = strings.Repeat("put two into b ", 70_000)
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Regexp(t, `the request needs \d+ tokens and only \d+ are allowed: name fewer files, or a shorter task`, result.Reason)
	require.Empty(t, e.script.Requests())
	require.Empty(t, result.Changes.Files)
}

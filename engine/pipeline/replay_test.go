package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/graph"
)

// cut is a flow that ends with its run at the n-th step that is really performed: before it, or, journaled, after.
type cut struct {
	*flow.Memory
	cancel context.CancelFunc
	left   int
	after  bool
}

func (c *cut) Do(ctx context.Context, call flow.Call) (json.RawMessage, error) {
	before := len(c.Performed())
	if c.left == 1 && !c.after {
		c.cancel()
		return nil, context.Canceled
	}
	output, err := c.Memory.Do(ctx, call)
	if len(c.Performed()) > before {
		if c.left--; c.left == 0 {
			c.cancel()
		}
	}
	return output, err
}

// sequence works on nodes one after the other.
type sequence struct{ waiting []func() graph.Finished }

func (s *sequence) Start(work func() graph.Finished) { s.waiting = append(s.waiting, work) }

func (s *sequence) Next() graph.Finished {
	work := s.waiting[0]
	s.waiting = s.waiting[1:]
	return work()
}

const eventful = decideSpec + writeSpec + writeTests + `
- {match: {node: executor, contains: [You implement]}, reply: {text: no JSON}}` + writeWrong + writeRight + reviewPass

// A run that is cut off at any of its steps, and played again, comes to the same, tells the same, and does no step
// twice.
func TestARunIsPlayedAgainFromAnywhere(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(t *testing.T) *episode{
		"in a small folder": func(t *testing.T) *episode { return newEpisode(t, eventful) },
		"in one that is explored": func(t *testing.T) *episode {
			return newEpisode(t, eventful+round(readBig)+round("")).wide()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playedFromAnywhere(t, begin)
		})
	}
}

// playedFromAnywhere cuts an episode off at each of its steps.
func playedFromAnywhere(t *testing.T, begin func(t *testing.T) *episode) {
	t.Helper()
	whole := begin(t)
	want := whole.run(t)
	require.Equal(t, event.Succeeded, want.State, want.Reason)
	require.NoError(t, whole.script.Verify())
	steps := len(whole.flow.Performed())
	require.Greater(t, steps, 20)

	told := map[string]int{}
	for _, kind := range []string{"graph", "model", "gate.started", "tool"} {
		told[kind] = count(whole.log, kind)
	}
	again := whole.again(t)
	require.Equal(t, want, again)
	require.Empty(t, whole.flow.Performed(), "nothing is left to do")

	for n := 1; n <= steps; n++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d %v", n, after), func(t *testing.T) {
				t.Parallel()
				e := begin(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				e.flow = flow.InMemory("r-1", e.kit.Workers(), flow.DriverOptions{})
				e.env.Flow, e.env.Crew = &cut{Memory: e.flow, cancel: cancel, left: n, after: after}, &sequence{}
				Run(ctx, e.env, e.task)
				first := len(e.flow.Performed())

				e.log = event.Restore("r-1", time.Now, e.log.Since(0))
				e.env.Tell, e.env.Crew = e.log.Tell, &sequence{}
				require.Equal(t, want, e.again(t))
				require.Equal(t, steps, first+len(e.flow.Performed()), "each step is performed once")
				require.NoError(t, e.script.Verify())
				for kind, times := range told {
					require.Equal(t, times, count(e.log, kind), kind)
				}
			})
		}
	}
}

func count(log *event.Log, kind string) int {
	n := 0
	for _, e := range log.Since(0) {
		if e.Data.Type() == kind {
			n++
		}
	}
	return n
}

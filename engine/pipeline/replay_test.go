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
	"forge/internal/testkit"
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

func inSequence() graph.Pool { return &sequence{} }

const eventful = decideSpec + writeSpec + writeTests + `
- {match: {node: executor, contains: [You implement]}, reply: {text: no JSON}}` + writeWrong + writeRight + reviewPass

// A run that is cut off at any of its steps, and replayed, has the same result and events, and does no step twice.
func TestReplay_RunIsPlayedAgainFromAnywhere(t *testing.T) {
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

// playedFromAnywhere cuts an episode off at each of its steps, before it and after it.
func playedFromAnywhere(t *testing.T, begin func(t *testing.T) *episode) {
	t.Helper()
	p := playedWhole(t, begin)
	for n := 1; n <= p.steps; n += testkit.Step(3) {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d %v", n, after), func(t *testing.T) {
				t.Parallel()
				p.cutAt(t, n, after, inSequence, inSequence)
			})
		}
	}
}

// played is an undisturbed episode.
type played struct {
	begin func(t *testing.T) *episode
	want  Result
	steps int
	told  map[string]int // events, by kinds
}

func playedWhole(t *testing.T, begin func(t *testing.T) *episode) played {
	t.Helper()
	whole := begin(t)
	p := played{begin: begin, want: whole.run(t), told: map[string]int{}}
	require.Equal(t, event.Succeeded, p.want.State, p.want.Reason)
	require.NoError(t, whole.script.Verify())
	p.steps = len(whole.flow.Performed())
	require.Greater(t, p.steps, 20)
	for _, kind := range []string{"graph", "model", "gate.started", "tool"} {
		p.told[kind] = counted(whole.log, kind)
	}
	require.Equal(t, p.want, whole.again(t))
	require.Empty(t, whole.flow.Performed(), "nothing is left to do")
	return p
}

// cutAt plays the episode, ends it at its n-th step, and plays it again; each of both plays has a pool of its own.
func (p played) cutAt(t *testing.T, n int, after bool, first, second func() graph.Pool) {
	t.Helper()
	e := p.begin(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e.flow = flow.InMemory("r-1", e.workers(), flow.DriverOptions{})
	e.env.Flow, e.env.Pool = &cut{Memory: e.flow, cancel: cancel, left: n, after: after}, first
	Run(ctx, e.env, e.task)
	performed := len(e.flow.Performed())

	e.log = event.Restore("r-1", time.Now, e.log.Since(0))
	e.env.Emit, e.env.Pool = e.log.AppendOnce, second
	require.Equal(t, p.want, e.again(t))
	require.Equal(t, p.steps, performed+len(e.flow.Performed()), "each step is performed once")
	require.NoError(t, e.script.Verify())
	for kind, times := range p.told {
		require.Equal(t, times, counted(e.log, kind), kind)
	}
}

func counted(log *event.Log, kind string) int {
	n := 0
	for _, e := range log.Since(0) {
		if e.Data.Type() == kind {
			n++
		}
	}
	return n
}

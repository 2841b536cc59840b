package graph

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lazy is a crew without goroutines: work is done when its result is asked for, in an order of its own.
type lazy struct {
	pick    func(n int) int
	waiting []func() Finished
}

func (l *lazy) Start(work func() Finished) { l.waiting = append(l.waiting, work) }

func (l *lazy) Next() Finished {
	i := l.pick(len(l.waiting))
	work := l.waiting[i]
	l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
	return work()
}

// What a graph comes to, and how often each of its nodes runs, does not depend on who does the work.
func TestTheCrewDecidesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios(t)
		run := func(crew Crew) ([]Node, map[string]int) {
			g := s.build()
			g.MaxHops = 1000
			o := &observer{finished: map[string]bool{}, blocked: map[string]int{}}
			require.NoError(t, g.RunOn(context.Background(), crew, 3, o.work(s, nil), nil))
			return g.Nodes(), o.blocked
		}
		_, blocked := run(Goroutines())
		crew := &lazy{pick: func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "next") }}
		nodes, lazily := run(crew)
		require.Equal(t, blocked, lazily)
		require.Empty(t, crew.waiting, "all work was waited for")
		for _, n := range nodes {
			require.Equal(t, Done, n.Status)
		}
	})
}

func TestACrewIsWaitedForWhenTheRunEndsEarly(t *testing.T) {
	t.Parallel()
	g := &Graph{}
	for i := range 3 {
		require.NoError(t, g.AddNode(fmt.Sprint(i), "n"))
	}
	crew := &lazy{pick: func(int) int { return 0 }}
	err := g.RunOn(t.Context(), crew, 3, func(context.Context, Node) Outcome { return Outcome{Status: Pending} }, nil)
	require.Error(t, err)
	require.Empty(t, crew.waiting)
}

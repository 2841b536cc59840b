package graph

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// lanes is a graph of modules of two nodes, a lane leading back within each.
func lanes(t *testing.T, names ...string) *Graph {
	t.Helper()
	g := &Graph{}
	for _, name := range names {
		require.NoError(t, g.AddNode(name+"/begin", "begin"))
		require.NoError(t, g.AddNode(name+"/end", "end"))
		require.NoError(t, g.AddEdge(name+"/begin", name+"/end", Normal))
		require.NoError(t, g.AddEdge(name+"/end", name+"/begin", Failure))
	}
	return g
}

// waiting is work whose first end of a module waits for the end of another; it returns the order in which modules ended.
func waiting(t *testing.T, g *Graph, needs map[string]string) (order []string, err error) {
	t.Helper()
	err = g.Run(t.Context(), &oneByOne{}, Permits{Nodes: 4}, func(_ context.Context, n Node) Outcome {
		if need := needs[n.ID]; need != "" && n.Attempt == 1 {
			return Outcome{Status: Blocked, Lane: Failure, Await: []string{need}, Reason: "needs " + need}
		}
		if n.ID == "never/end" {
			return Outcome{Status: Failed, Reason: "no"}
		}
		if n.Kind == "end" {
			order = append(order, n.ID)
		}
		return Outcome{Status: Done}
	}, nil)
	return order, err
}

// oneByOne works on nodes in the order in which they were started.
type oneByOne struct{ waiting []func() Finished }

func (o *oneByOne) Start(work func() Finished) { o.waiting = append(o.waiting, work) }
func (o *oneByOne) Next() Finished {
	work := o.waiting[0]
	o.waiting = o.waiting[1:]
	return work()
}

func TestAwait_ANodeWaitsForAnotherBesidesItsEdges(t *testing.T) {
	t.Parallel()
	order, err := waiting(t, lanes(t, "a", "b"), map[string]string{"a/end": "b/end"})
	require.NoError(t, err)
	require.Equal(t, []string{"b/end", "a/end"}, order)
}

func TestAwait_NodesThatWaitForEachOtherAreReleasedInOrder(t *testing.T) {
	t.Parallel()
	order, err := waiting(t, lanes(t, "a", "b", "c"), map[string]string{"a/end": "b/end", "b/end": "c/end", "c/end": "a/end"})
	require.NoError(t, err)
	require.Equal(t, []string{"a/end", "c/end", "b/end"}, order)
}

func TestAwait_ANodeThatFailsKeepsBackWhatWaitsForIt(t *testing.T) {
	t.Parallel()
	g := lanes(t, "a", "never")
	order, err := waiting(t, g, map[string]string{"a/end": "never/end"})
	var stuck *StuckError
	require.ErrorAs(t, err, &stuck)
	require.Len(t, stuck.Nodes, 1)
	require.Empty(t, order)
}

// With one permit the node with the longest chain behind it is first.
func TestRun_LongestChainIsFirst(t *testing.T) {
	t.Parallel()
	g := &Graph{}
	for _, id := range []string{"short", "long", "middle", "end"} {
		require.NoError(t, g.AddNode(id, "x"))
	}
	require.NoError(t, g.AddEdge("long", "middle", Normal))
	require.NoError(t, g.AddEdge("middle", "end", Normal))
	var order []string
	require.NoError(t, g.Run(t.Context(), &oneByOne{}, Permits{}, func(_ context.Context, n Node) Outcome {
		order = append(order, n.ID)
		return Outcome{Status: Done}
	}, nil))
	require.Equal(t, []string{"long", "middle", "short", "end"}, order)
}

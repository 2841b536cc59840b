package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// chain builds a → b → c … with a review lane from the last node to the second.
func chain(t *testing.T, ids ...string) *Graph {
	t.Helper()
	g := &Graph{}
	for i, id := range ids {
		require.NoError(t, g.AddNode(id, id))
		if i > 0 {
			require.NoError(t, g.AddEdge(ids[i-1], id, Normal))
		}
	}
	return g
}

func finish(t *testing.T, g *Graph, ids ...string) {
	t.Helper()
	for _, id := range ids {
		require.NoError(t, g.Set(id, Running, ""))
		require.NoError(t, g.Set(id, Done, ""))
	}
}

func TestGraph_TransitionTable(t *testing.T) {
	t.Parallel()
	legalMoves := map[[2]Status]bool{
		{Pending, Running}: true, {Pending, Skipped}: true,
		{Running, Done}: true, {Running, Blocked}: true, {Running, Failed}: true,
		{Blocked, Pending}: true, {Blocked, Failed}: true, {Blocked, Skipped}: true,
	}
	for from := Pending; from <= Skipped; from++ {
		for to := Pending; to <= Skipped; to++ {
			g := &Graph{nodes: []*Node{{ID: "n", Status: from}}}
			err := g.Set("n", to, "why")
			n, _ := g.Node("n")
			if legalMoves[[2]Status{from, to}] {
				require.NoError(t, err, "%s → %s", from, to)
				require.Equal(t, to, n.Status)
				continue
			}
			var illegal *TransitionError
			require.ErrorAs(t, err, &illegal, "%s → %s", from, to)
			require.Equal(t, from, n.Status, "an illegal move changes nothing")
		}
	}
}

func TestGraph_ReadyNeedsEveryPredecessor(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "c")
	require.NoError(t, g.AddNode("b", "b"))
	require.NoError(t, g.AddEdge("b", "c", Normal))
	require.Equal(t, []string{"a", "b"}, g.Ready())
	finish(t, g, "a")
	require.Equal(t, []string{"b"}, g.Ready(), "c still waits for b")
	require.NoError(t, g.Set("b", Skipped, "not needed"))
	require.Equal(t, []string{"c"}, g.Ready(), "a skipped predecessor is satisfied")
	finish(t, g, "c")
	require.True(t, g.Complete(), "skipped nodes do not keep a graph open")
}

func TestGraph_CyclesAreReported(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "b", "c")
	var cycle *CycleError
	require.ErrorAs(t, g.AddEdge("c", "a", Normal), &cycle)
	require.Equal(t, []string{"a", "b", "c", "a"}, cycle.Path)
	require.ErrorAs(t, g.AddEdge("b", "b", Normal), &cycle)
	require.Len(t, g.Edges(), 2, "a refused edge is not there")
	require.NoError(t, g.AddEdge("c", "a", ReviewFail), "a lane may point back")
	require.Equal(t, []string{"a"}, g.Ready(), "a lane does not hold its target up")
}

func TestGraph_BadEdgesAndNodes(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "b")
	require.Error(t, g.AddNode("a", "again"))
	require.Error(t, g.AddNode("", "nameless"))
	require.Error(t, g.AddEdge("a", "nobody", Normal))
	require.Error(t, g.AddEdge("a", "b", Normal), "twice")
	require.ErrorContains(t, g.AddEdge("a", "b", ReviewFail), "does not lead back")
	require.Error(t, g.Set("nobody", Running, ""))
}

func TestGraph_AncestorsAndDescendants(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "b", "c", "d")
	require.NoError(t, g.AddEdge("d", "a", Escalate))
	require.Equal(t, []string{"a", "b"}, g.Ancestors("c"))
	require.Equal(t, []string{"c", "d"}, g.Descendants("b"))
	require.Empty(t, g.Ancestors("a"), "a lane is not an order")
}

func TestGraph_FollowReopensTheTargetAndItsDependents(t *testing.T) {
	t.Parallel()
	g := chain(t, "plan", "write", "check", "review")
	require.NoError(t, g.AddEdge("review", "write", ReviewFail))
	finish(t, g, "plan", "write", "check")
	require.NoError(t, g.Set("review", Running, ""))

	_, err := g.Follow("review", ReviewFail, "too early")
	require.Error(t, err, "only a blocked review sends back")
	require.NoError(t, g.Set("review", Blocked, "test X fails"))
	reopened, err := g.Follow("review", ReviewFail, "test X fails")
	require.NoError(t, err)
	require.Equal(t, []string{"write", "check", "review"}, reopened)
	require.Equal(t, []string{"write"}, g.Ready())
	write, _ := g.Node("write")
	require.Equal(t, "test X fails", write.Reason)
	plan, _ := g.Node("plan")
	require.Equal(t, Done, plan.Status, "what came before stays done")
}

func TestGraph_ReviewPassReopensItsTargetAlone(t *testing.T) {
	t.Parallel()
	g := chain(t, "decide", "work", "review")
	require.NoError(t, g.AddEdge("review", "decide", ReviewPass))
	finish(t, g, "decide", "work", "review")
	reopened, err := g.Follow("review", ReviewPass, "what is next")
	require.NoError(t, err)
	require.Equal(t, []string{"decide"}, reopened)
	require.Equal(t, []string{"decide"}, g.Ready())
}

// A failed node that leads back to the node that decides stops nothing; without that lane it stops what waits for it.
func TestGraph_FailureThatAnotherNodeDecidesAbout(t *testing.T) {
	t.Parallel()
	for name, heard := range map[string]bool{"heard": true, "twin: not heard": false} {
		g := chain(t, "decide", "ask", "write")
		require.NoError(t, g.AddEdge("ask", "decide", ReviewPass), name)
		finish(t, g, "decide")
		require.NoError(t, g.Set("ask", Running, ""))
		require.NoError(t, g.Set("ask", Failed, "nobody knows"))
		if heard {
			reopened, err := g.Follow("ask", ReviewPass, "nobody knows")
			require.NoError(t, err)
			require.Equal(t, []string{"decide"}, reopened)
			finish(t, g, "decide", "write")
		}
		require.Equal(t, heard, g.Complete(), name)
		require.Empty(t, g.Ready(), name)
		ask, _ := g.Node("ask")
		require.Equal(t, Failed, ask.Status, "it stays failed")
	}
}

func TestGraph_HopsAreBounded(t *testing.T) {
	t.Parallel()
	g := chain(t, "a")
	require.NoError(t, g.AddEdge("a", "a", Failure))
	for hop := range DefaultMaxHops + 1 {
		require.NoError(t, g.Set("a", Running, ""))
		require.NoError(t, g.Set("a", Blocked, "again"))
		_, err := g.Follow("a", Failure, "again")
		if hop < DefaultMaxHops {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrMaxHops)
	}
	require.Equal(t, DefaultMaxHops, g.Hops("a"))
	a, _ := g.Node("a")
	require.Equal(t, Blocked, a.Status, "a refused hop changes nothing")
	require.Equal(t, DefaultMaxHops+1, a.Attempt)
}

// A hop back next to another node takes none from it: which of them ends must not depend on which was faster.
func TestGraph_HopsAreOfTheirTarget(t *testing.T) {
	t.Parallel()
	g := chain(t, "a")
	g.MaxHops = 1
	require.NoError(t, g.AddNode("b", "b"))
	for _, id := range []string{"a", "b"} {
		require.NoError(t, g.AddEdge(id, id, Failure))
		require.NoError(t, g.Set(id, Running, ""))
		require.NoError(t, g.Set(id, Blocked, "again"))
		_, err := g.Follow(id, Failure, "again")
		require.NoError(t, err)
	}
}

func TestGraph_FollowWithoutALane(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "b")
	_, err := g.Follow("a", ReviewFail, "")
	require.Error(t, err)
	_, err = g.Follow("a", Normal, "")
	require.Error(t, err, "a normal edge is not a lane")
	require.Zero(t, g.Hops("a"))
}

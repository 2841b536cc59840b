package graph

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func done(context.Context, Node) Outcome { return Outcome{Status: Done} }

func TestRun_SendsTheReasonBack(t *testing.T) {
	t.Parallel()
	g := chain(t, "write", "review")
	require.NoError(t, g.AddEdge("review", "write", ReviewFail))
	var reasons []string
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(_ context.Context, n Node) Outcome {
		if n.ID == "write" {
			reasons = append(reasons, n.Reason)
			return Outcome{Status: Done}
		}
		if n.Attempt <= 2 {
			return Outcome{Status: Blocked, Reason: fmt.Sprintf("fault %d", n.Attempt), Lane: ReviewFail}
		}
		return Outcome{Status: Done}
	}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"", "fault 1", "fault 2"}, reasons)
}

func TestRun_EndsStuckWhereABlockedNodeHasNoLane(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "b")
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(context.Context, Node) Outcome {
		return Outcome{Status: Blocked, Reason: "needs a person"}
	}, nil)
	var stuck *StuckError
	require.ErrorAs(t, err, &stuck)
	require.Len(t, stuck.Nodes, 1)
	require.Equal(t, "a is BLOCKED: needs a person", err.Error())
}

func TestRun_GivesUpWhenTheHopsAreSpent(t *testing.T) {
	t.Parallel()
	g := chain(t, "a")
	g.MaxHops = 3
	require.NoError(t, g.AddEdge("a", "a", Failure))
	starts := 0
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(context.Context, Node) Outcome {
		starts++
		return Outcome{Status: Blocked, Reason: "still red", Lane: Failure}
	}, nil)
	require.ErrorContains(t, err, "a is FAILED: still red")
	require.Equal(t, 4, starts)
}

func TestRun_SkipsUnneededNodes(t *testing.T) {
	t.Parallel()
	g := chain(t, "decide", "spec", "write")
	var ran []string
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(_ context.Context, n Node) Outcome {
		ran = append(ran, n.ID)
		if n.ID == "decide" {
			return Outcome{Status: Done, Reason: "a one-line fix", Skip: []string{"spec"}}
		}
		return Outcome{Status: Done}
	}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"decide", "write"}, ran)
}

func TestRun_RefusesAnOutcomeTheTableDoesNotHave(t *testing.T) {
	t.Parallel()
	g := chain(t, "a")
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(context.Context, Node) Outcome { return Outcome{Status: Pending} }, nil)
	var illegal *TransitionError
	require.ErrorAs(t, err, &illegal)
}

func TestRun_StopsWithItsContext(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "b")
	ctx, cancel := context.WithCancel(t.Context())
	err := g.Run(ctx, Goroutines(), Permits{Nodes: 1}, func(ctx context.Context, _ Node) Outcome {
		cancel()
		<-ctx.Done()
		return Outcome{Status: Done}
	}, nil)
	require.ErrorIs(t, err, context.Canceled)
	b, _ := g.Node("b")
	require.Equal(t, Pending, b.Status, "nothing starts after the end")
}

// A node that was running when its input was reopened has worked on something stale: it runs again.
func TestRun_RepeatsOutdatedNodes(t *testing.T) {
	t.Parallel()
	g := chain(t, "write", "slow")
	require.NoError(t, g.AddNode("review", "review"))
	require.NoError(t, g.AddEdge("write", "review", Normal))
	require.NoError(t, g.AddEdge("review", "write", ReviewFail))
	rewritten := make(chan struct{})
	var mu sync.Mutex
	starts := map[string]int{}
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 3}, func(_ context.Context, n Node) Outcome {
		mu.Lock()
		starts[n.ID]++
		count := starts[n.ID]
		mu.Unlock()
		switch {
		case n.ID == "write" && count == 2:
			close(rewritten)
		case n.ID == "slow" && count == 1:
			<-rewritten
		case n.ID == "review" && count == 1:
			return Outcome{Status: Blocked, Reason: "no", Lane: ReviewFail}
		}
		return Outcome{Status: Done}
	}, nil)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"write": 2, "slow": 2, "review": 2}, starts)
}

// scenario is a random graph with a script of outcomes: how often each node blocks before it is done.
type scenario struct {
	size   int
	edges  [][2]int
	lanes  [][2]int // source, target ≤ source
	blocks map[int]int
}

func scenarios(t *rapid.T) scenario {
	s := scenario{size: rapid.IntRange(1, 9).Draw(t, "size"), blocks: map[int]int{}}
	for to := range s.size {
		for from := range to {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				s.edges = append(s.edges, [2]int{from, to})
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "lane") == 0 {
			s.lanes = append(s.lanes, [2]int{to, rapid.IntRange(0, to).Draw(t, "target")})
			s.blocks[to] = rapid.IntRange(0, 2).Draw(t, "blocks")
		}
	}
	return s
}

func (s scenario) build() *Graph {
	g := &Graph{}
	for i := range s.size {
		_ = g.AddNode(fmt.Sprint(i), "n")
	}
	for _, e := range s.edges {
		_ = g.AddEdge(fmt.Sprint(e[0]), fmt.Sprint(e[1]), Normal)
	}
	for _, l := range s.lanes {
		if g.AddEdge(fmt.Sprint(l[0]), fmt.Sprint(l[1]), ReviewFail) != nil {
			delete(s.blocks, l[0]) // not a lane: it does not lead back
		}
	}
	return g
}

// observer checks, from inside the work, what must hold at every moment.
type observer struct {
	mu       sync.Mutex
	running  int
	most     int
	finished map[string]bool // as of its latest start
	blocked  map[string]int
	faults   []string
}

func (o *observer) work(s scenario, before map[string][]string) Work {
	return func(_ context.Context, n Node) Outcome {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.running++
		o.most = max(o.most, o.running)
		for _, p := range before[n.ID] {
			if !o.finished[p] {
				o.faults = append(o.faults, n.ID+" started before "+p)
			}
		}
		o.running--
		var id int
		_, _ = fmt.Sscan(n.ID, &id)
		if o.blocked[n.ID] < s.blocks[id] {
			o.blocked[n.ID]++
			return Outcome{Status: Blocked, Reason: "again", Lane: ReviewFail}
		}
		o.finished[n.ID] = true
		return Outcome{Status: Done}
	}
}

func TestRun_SchedulerOnRandomGraphs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios(t)
		permits := rapid.IntRange(1, 4).Draw(t, "permits")
		g := s.build()
		g.MaxHops = 1000
		before := map[string][]string{}
		for _, n := range g.Nodes() {
			before[n.ID] = g.Ancestors(n.ID)
		}
		o := &observer{finished: map[string]bool{}, blocked: map[string]int{}}
		var statuses []Status
		err := g.Run(context.Background(), Goroutines(), Permits{Nodes: permits}, o.work(s, before), func(n Node) { statuses = append(statuses, n.Status) })
		require.NoError(t, err)
		require.Empty(t, o.faults)
		require.LessOrEqual(t, o.most, permits)
		require.True(t, g.Complete(), "nothing is lost")
		require.NotContains(t, statuses, Failed)
		for id, times := range s.blocks {
			require.Equal(t, times, o.blocked[fmt.Sprint(id)], "every block was sent back")
		}
	})
}

// Without a dependency check the property above must fail: the negative twin of the observer.
func TestRun_TheObserverSeesAStartThatIsTooEarly(t *testing.T) {
	t.Parallel()
	o := &observer{finished: map[string]bool{}, blocked: map[string]int{}}
	o.work(scenario{}, map[string][]string{"1": {"0"}})(t.Context(), Node{ID: "1"})
	require.Equal(t, []string{"1 started before 0"}, o.faults)
}

func TestRun_PermitsBoundConcurrency(t *testing.T) {
	t.Parallel()
	for _, permits := range []int{1, 2, 4} {
		g := &Graph{}
		for i := range 8 {
			require.NoError(t, g.AddNode(fmt.Sprint(i), "n"))
		}
		var mu sync.Mutex
		running, most := 0, 0
		full := make(chan struct{})
		err := g.Run(t.Context(), Goroutines(), Permits{Nodes: permits}, func(context.Context, Node) Outcome {
			mu.Lock()
			running++
			most = max(most, running)
			if running == permits {
				select {
				case <-full:
				default:
					close(full)
				}
			}
			mu.Unlock()
			<-full // the first round waits until every permit is in use
			mu.Lock()
			running--
			mu.Unlock()
			return Outcome{Status: Done}
		}, nil)
		require.NoError(t, err)
		require.Equal(t, permits, most)
	}
}

func TestRun_ReportsEveryChangeInOrder(t *testing.T) {
	t.Parallel()
	g := chain(t, "a", "b")
	var told []string
	require.NoError(t, g.Run(t.Context(), Goroutines(), Permits{Nodes: 4}, done, func(n Node) { told = append(told, n.ID+" "+n.Status.String()) }))
	require.Equal(t, []string{"a RUNNING", "a DONE", "b RUNNING", "b DONE"}, told)
	require.False(t, slices.Contains(told, "b PENDING"))
}

// A node that another one adds runs as if it had been there from the beginning, and nodes that waited for its creator
// wait for it too.
func TestRun_AGraphGrowsWhileItRuns(t *testing.T) {
	t.Parallel()
	g := chain(t, "plan", "review")
	var ran []string
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(_ context.Context, n Node) Outcome {
		ran = append(ran, n.ID+" "+n.Kind)
		switch {
		case n.ID == "plan":
			return Outcome{Status: Done, Grow: Growth{
				Nodes: []Node{{ID: "a", Kind: "module"}, {ID: "b", Kind: "module"}},
				Edges: []Edge{
					{"plan", "a", Normal}, {"a", "b", Normal}, {"b", "review", Normal},
					{"review", "b", ReviewFail},
				},
			}}
		case n.ID == "review" && n.Attempt == 1:
			return Outcome{Status: Blocked, Reason: "b is wrong", Lane: ReviewFail}
		}
		return Outcome{Status: Done}
	}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"plan plan", "a module", "b module", "review review", "b module", "review review"}, ran)
}

func TestRun_AGraphDoesNotGrowWrong(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]Growth{
		"a node that is there":      {Nodes: []Node{{ID: "b", Kind: "b"}}},
		"an edge to no node":        {Edges: []Edge{{"a", "nobody", Normal}}},
		"a cycle":                   {Nodes: []Node{{ID: "c", Kind: "c"}}, Edges: []Edge{{"b", "c", Normal}, {"c", "b", Normal}}},
		"an edge to what has run":   {Nodes: []Node{{ID: "c", Kind: "c"}}, Edges: []Edge{{"c", "a", Normal}}},
		"a lane that leads nowhere": {Nodes: []Node{{ID: "c", Kind: "c"}}, Edges: []Edge{{"c", "b", Failure}}},
	} {
		g := chain(t, "a", "b")
		err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(context.Context, Node) Outcome {
			return Outcome{Status: Done, Grow: more}
		}, nil)
		require.ErrorContains(t, err, "the growth of a", name)
	}
}

// A kind that has all its permits holds up its own nodes only.
func TestRun_PermitsOfAKind(t *testing.T) {
	t.Parallel()
	g := &Graph{}
	for i := range 4 {
		require.NoError(t, g.AddNode(fmt.Sprintf("w%d", i), "write"))
		require.NoError(t, g.AddNode(fmt.Sprintf("r%d", i), "read"))
	}
	running, most := map[string]int{}, map[string]int{}
	together := make(chan struct{})
	var mu sync.Mutex
	count := func(kind string, by int) bool {
		mu.Lock()
		defer mu.Unlock()
		running[kind] += by
		most[kind] = max(most[kind], running[kind])
		return running["write"]+running["read"] == 5
	}
	var once sync.Once
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 5, Of: map[string]int{"write": 2}}, func(_ context.Context, n Node) Outcome {
		if count(n.Kind, 1) {
			once.Do(func() { close(together) })
		}
		<-together
		count(n.Kind, -1)
		return Outcome{Status: Done}
	}, nil)
	require.NoError(t, err)
	require.Equal(t, 2, most["write"])
	require.GreaterOrEqual(t, most["read"], 3)
}

// Each end of a node says what may follow it, and what is open again says nothing.
func TestRun_EachEndHasASignal(t *testing.T) {
	t.Parallel()
	g := chain(t, "write", "review", "ask", "never")
	g.MaxHops = 1
	require.NoError(t, g.AddEdge("review", "write", ReviewFail))
	require.NoError(t, g.AddNode("broken", "broken"))
	var told []string
	err := g.Run(t.Context(), Goroutines(), Permits{Nodes: 1}, func(_ context.Context, n Node) Outcome {
		switch {
		case n.ID == "broken":
			return Outcome{Status: Failed, Reason: "for good"}
		case n.ID == "ask":
			return Outcome{Status: Blocked, Reason: "needs a person"}
		case n.ID == "review" && n.Attempt == 1:
			return Outcome{Status: Blocked, Reason: "a fault", Lane: ReviewFail}
		}
		return Outcome{Status: Done}
	}, func(n Node) { told = append(told, fmt.Sprint(n.ID, " ", n.Status, " ", n.Signal)) })
	require.Error(t, err)
	require.Equal(t, []string{
		"write RUNNING ", "write DONE SUCCESS", "review RUNNING ", "review BLOCKED RETRYABLE", "write PENDING ", "review PENDING ",
		"write RUNNING ", "write DONE SUCCESS", "review RUNNING ", "review DONE SUCCESS", "ask RUNNING ", "ask BLOCKED BLOCKED_ON_HUMAN",
		"broken RUNNING ", "broken FAILED TERMINAL",
	}, told)
}

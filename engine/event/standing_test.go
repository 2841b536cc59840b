package event

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"forge/engine/graph"
	"forge/engine/llm"
)

func logged(data ...Data) (events []Event) {
	for i, d := range data {
		events = append(events, Event{RunID: "r", Seq: i + 1, Time: time.Unix(int64(i), 0), Data: d})
	}
	return events
}

func TestStanding_FoldsARun(t *testing.T) {
	t.Parallel()
	asked := func(id string) Asked { return Asked{Question{ID: id}} }
	for name, c := range map[string]struct {
		events []Data
		want   Standing
	}{
		"nothing yet": {nil, Standing{State: Running}},
		"a graph that grows": {
			[]Data{
				RunStarted{Way: Way{Recipe: "fix"}}, GraphBuilt{Base: "b", Nodes: []graph.Node{{ID: "x"}}, Attempts: 3},
				GraphGrown{Nodes: []graph.Node{{ID: "y"}}, Edges: []graph.Edge{{From: "x", To: "y"}}}, NodeChanged{graph.Node{ID: "x", Status: graph.Done}},
			},
			Standing{
				State: Running, Way: Way{Recipe: "fix"}, Base: "b", Attempts: 3, Nodes: []graph.Node{{ID: "x", Status: graph.Done}, {ID: "y"}},
				Edges: []graph.Edge{{From: "x", To: "y"}},
			},
		},
		"an open question": {
			[]Data{asked("q"), asked("r"), Answered{QuestionID: "q"}},
			Standing{State: Waiting, Questions: []AskedQuestion{{Question{ID: "q"}, false}, {Question{ID: "r"}, true}}},
		},
		"an answered question": {
			[]Data{asked("q"), Answered{QuestionID: "q"}}, Standing{State: Running, Questions: []AskedQuestion{{Question{ID: "q"}, false}}},
		},
		"a question that is asked again after the run is resumed": {
			[]Data{asked("q"), RunEnded{State: Interrupted}, RunResumed{}, asked("q")},
			Standing{State: Waiting, Questions: []AskedQuestion{{Question{ID: "q"}, true}}},
		},
		"the end closes questions": {
			[]Data{asked("q"), RunEnded{State: Blocked, Reason: "r"}},
			Standing{State: Blocked, Reason: "r", Questions: []AskedQuestion{{Question{ID: "q"}, false}}},
		},
		"the end of a run with a remedy": {[]Data{RunEnded{State: Blocked, Remedy: RemedyKey}}, Standing{State: Blocked, Remedy: RemedyKey}},
		"one that is resumed":            {[]Data{RunEnded{State: Blocked, Remedy: RemedyKey}, RunResumed{}}, Standing{State: Running}},
		"resumed":                        {[]Data{RunEnded{State: Blocked, Reason: "r"}, RunResumed{}}, Standing{State: Running}},
		"calls of an older version":      {[]Data{ModelCalled{Input: 2, Output: 3}, ModelCalled{Output: 1}}, Standing{State: Running, Spent: Spent{Tokens: 6}}},
		"what is charged is known best": {
			[]Data{ModelCalled{Input: 2}, Spent{Tokens: 9, Cost: llm.Cost{MicroUSD: 1}}, ModelCalled{Input: 5}},
			Standing{State: Running, Spent: Spent{Tokens: 9, Cost: llm.Cost{MicroUSD: 1}}, Charged: true},
		},
		"results": {
			[]Data{AttemptJudged{Attempt: 1}, AttemptJudged{Attempt: 2}, SpecKept{Version: 4}, ProposalReady{ProposalID: "p"}},
			Standing{State: Running, Progress: &AttemptJudged{Attempt: 2}, Spec: 4, Proposal: ProposalReady{ProposalID: "p"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := logged(c.events...)
			got := Stand(events)
			require.Empty(t, cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(Standing{}), cmpopts.IgnoreFields(Standing{}, "Active"), cmpopts.EquateEmpty()))
			require.Empty(t, cmp.Diff(got, Restore("r", time.Now, events).Standing(), cmp.AllowUnexported(Standing{}, obstacles{}), cmpopts.EquateEmpty()))
		})
	}
}

func TestStandingBatch_IsThatOfTheCallThatWaitedLast(t *testing.T) {
	t.Parallel()
	one, two := BatchWaiting{Node: "a", Provider: "p", Batch: "b-1", Items: 2}, BatchWaiting{Node: "b", Provider: "q"}
	for name, c := range map[string]struct {
		events []Data
		want   string
	}{
		"none":            {nil, ""},
		"one":             {[]Data{one}, "batch b-1 at p (2 requests)"},
		"the later":       {[]Data{one, two}, "batch at q"},
		"answered":        {[]Data{one, ModelCalled{Node: "a"}}, ""},
		"of another call": {[]Data{one, ModelCalled{Node: "b"}}, "batch b-1 at p (2 requests)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := Stand(logged(c.events...))
			w, waits := now.Batch()
			require.Equal(t, c.want != "", waits)
			if waits {
				require.Equal(t, c.want, w.String())
			}
		})
	}
}

func TestLogStanding_IsNotChangedByLaterEvents(t *testing.T) {
	t.Parallel()
	log := newTestLog()
	log.Append(GraphBuilt{Nodes: []graph.Node{{ID: "x"}}})
	before := log.Standing()
	log.Append(NodeChanged{graph.Node{ID: "x", Status: graph.Running}})
	require.Equal(t, graph.Pending, before.Nodes[0].Status)
	require.Equal(t, graph.Running, log.Standing().Nodes[0].Status)
}

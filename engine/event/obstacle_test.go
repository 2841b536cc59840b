package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/graph"
	"forge/engine/llm"
)

func TestStandingObstacle_IsWhereTheRunIsStuck(t *testing.T) {
	t.Parallel()
	failing := func(node string, kind llm.Kind) ModelCalled { return ModelCalled{Node: node, Failure: "f", Kind: kind} }
	status := func(node string, s graph.Status) NodeChanged { return NodeChanged{graph.Node{ID: node, Status: s}} }
	asked := Asked{Question{ID: "q", Kind: AskClarification}}
	for name, c := range map[string]struct {
		events []Data
		want   Remedy
	}{
		"nothing":                     {nil, ""},
		"gates fail":                  {[]Data{ModelCalled{Node: "x"}, status("x", graph.Failed)}, ""},
		"a key is wrong":              {[]Data{failing("x", llm.KindAuth), status("x", graph.Blocked)}, RemedyKey},
		"a node that is done":         {[]Data{failing("x", llm.KindAuth), status("x", graph.Done)}, ""},
		"the first node of two":       {[]Data{status("x", graph.Blocked), failing("y", llm.KindBudget), failing("x", llm.KindRefused), status("y", graph.Failed)}, RemedyTask},
		"no use of any answer":        {[]Data{failing("x", ""), status("x", graph.Blocked)}, RemedyModel},
		"an activity":                 {[]Data{failing("x", "timeout"), status("x", graph.Blocked)}, ""},
		"the call is repeated":        {[]Data{ModelCalled{Node: "x", Failure: "f", Again: time.Second}, status("x", graph.Blocked)}, ""},
		"another model answers":       {[]Data{ModelCalled{Node: "x", Failure: "f", StandIn: "m"}, status("x", graph.Blocked)}, ""},
		"a later call succeeds":       {[]Data{failing("x", llm.KindAuth), ModelCalled{Node: "x"}, status("x", graph.Failed)}, ""},
		"no answer":                   {[]Data{asked, Answered{QuestionID: "q"}}, RemedyAnswer},
		"an answer":                   {[]Data{asked, Answered{QuestionID: "q", Text: "half to even"}}, ""},
		"an answer after a resume":    {[]Data{asked, Answered{QuestionID: "q"}, RunResumed{}, asked, Answered{QuestionID: "q", Choice: "yes"}}, ""},
		"a question that blocks none": {[]Data{Asked{Question{ID: "q", Kind: AskUnconfined}}, Answered{QuestionID: "q"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := Stand(logged(c.events...))
			require.Equal(t, c.want, now.Obstacle())
			kept := Restore("r", time.Now, logged(c.events...)).Standing()
			require.Equal(t, c.want, kept.Obstacle(), "another process resumes the run")
		})
	}
}

package lsp_test

import (
	"context"
	"path"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/graph"
)

// twoParts is what a plan of two parts side by side adds to a graph: the parts pay and tax, then the whole.
func twoParts() (g graph.Growth) {
	module := func(prefix string, after ...string) {
		ids := []string{prefix + "explore", prefix + "executor", prefix + "review"}
		for i, id := range ids {
			g.Nodes = append(g.Nodes, graph.Node{ID: id, Kind: partless(id)})
			if i > 0 {
				after = []string{ids[i-1]}
			}
			for _, earlier := range after {
				g.Edges = append(g.Edges, graph.Edge{From: earlier, To: id, Type: graph.Normal})
			}
		}
		g.Edges = append(g.Edges, graph.Edge{From: ids[1], To: ids[0], Type: graph.Failure}, graph.Edge{From: ids[2], To: ids[0], Type: graph.ReviewFail})
	}
	module("pay/", "planner")
	module("tax/", "planner")
	module("", "pay/review", "tax/review")
	return g
}

// partless is the kind of a node: its id without its part.
func partless(id string) string { return path.Base(id) }

// found is a report of one gate, of a node, that found one thing, or nothing.
func found(node, message string) event.GateFinished {
	report := gate.Report{Gate: "go build", Verdict: gate.Pass}
	if message != "" {
		report = red(gate.Finding{Path: "calc.go", Line: 5, Severity: gate.SeverityError, Message: message})
	}
	return event.GateFinished{Node: node, Report: report}
}

func reviewed(node, message string) event.Reviewed {
	finding := gate.Finding{Path: "calc.go", Line: 3, Severity: gate.SeverityWarning, Message: message}
	return event.Reviewed{Node: node, Report: gate.Report{Gate: "review", Verdict: gate.Pass, Findings: []gate.Finding{finding}}}
}

func TestParts_FindingsOfPartsSideBySide(t *testing.T) {
	begin := []event.Data{
		event.GraphBuilt{
			Nodes: []graph.Node{{ID: "baseline"}, {ID: "planner"}}, Edges: []graph.Edge{{From: "baseline", To: "planner", Type: graph.Normal}},
		},
		found("baseline", "before"), event.GraphGrown(twoParts()),
	}
	for name, tc := range map[string]struct {
		then  []event.Data
		state event.State
		shown []string
	}{
		"before any part":                   {nil, event.Blocked, []string{"before"}},
		"each has its own":                  {[]event.Data{found("pay/executor", "in pay"), found("tax/executor", "in tax")}, event.Blocked, []string{"in pay", "in tax"}},
		"one that is green clears its own":  {[]event.Data{found("pay/executor", "in pay"), found("tax/executor", "in tax"), found("pay/executor", "")}, event.Blocked, []string{"in tax"}},
		"what both have is shown once":      {[]event.Data{found("pay/executor", "old"), found("tax/executor", "old")}, event.Blocked, []string{"old"}},
		"reviewers leave each other's":      {[]event.Data{reviewed("pay/review", "pay is odd"), reviewed("tax/review", "tax is odd")}, event.Blocked, []string{"pay is odd", "tax is odd"}},
		"the whole has its own":             {[]event.Data{found("pay/executor", "in pay"), reviewed("tax/review", "tax is odd"), found("executor", "together")}, event.Blocked, []string{"together"}},
		"a green whole leaves nothing":      {[]event.Data{found("pay/executor", "in pay"), found("executor", "")}, event.Blocked, nil},
		"only the last review is of effect": {[]event.Data{reviewed("pay/review", "pay is odd"), found("executor", ""), reviewed("review", "all is odd")}, event.Succeeded, []string{"all is odd"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				script := func(_ context.Context, r *scriptedRun) execution.Result {
					for _, d := range append(begin[:len(begin):len(begin)], tc.then...) {
						r.Log.Append(d)
					}
					return execution.Result{State: tc.state, Reason: "x"}
				}
				d := start(t, map[string]string{"calc.go": calcGo}, &fakeEngine{script: script})
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, nil))
				var messages []string
				for _, diagnostic := range d.shown(d.uri("calc.go")) {
					message, _ := diagnostic.Message.(protocol.String)
					messages = append(messages, string(message))
				}
				require.ElementsMatch(t, tc.shown, messages)
			})
		})
	}
}

package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// graphIsShown demands that the graph of a run whose second attempt was accepted is shown with how each node stands, and what came back along a lane.
func (w *world) graphIsShown() {
	t := w.t
	t.Helper()
	code, stdout, stderr := w.run("graph", "show")
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^spec +skipped; after orchestrator$`, stdout)
	require.Regexp(t, `(?m)^executor +done, attempt 2; after explore; back to explore \(failed\)$`, stdout)
	require.Regexp(t, `(?m)^review +done, attempt 2; after executor; back to explore \(review_fail\)$`, stdout)
	readsWell(t, stdout)

	code, stdout, stderr = w.run("graph", "show", "--json")
	require.Zero(t, code, stderr)
	var shown struct {
		Type string
		Data struct {
			Nodes []struct{ ID, Status string }
			Edges []struct{ From, To string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &shown), stdout)
	require.Equal(t, "graph", shown.Type)
	require.NotEmpty(t, shown.Data.Edges)
	for _, n := range shown.Data.Nodes {
		require.Contains(t, []string{"DONE", "SKIPPED"}, n.Status, n.ID)
	}
}

// A node of its own answers the orchestrator's question, and sees but changes nothing; later nodes receive its answer.
func TestOrchestrator_DelegatesQuestionsToAResearchNode(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: orchestrator, attempt: 1}, reply: {json: {action: delegate, task: "What does sum.go have?", reason: Add may be there}}}
- {match: {node: delegate-1/subagent, contains: ["What does sum.go have?"]}, reply: {json: {action: look, requests: [{provider: read_file, args: {path: sum.go}, why: it is asked for}], result: ""}}}
- {match: {node: delegate-1/subagent, contains: ["read_file {\"path\":\"sum.go\"}", "// Package sum"]}, reply: {json: {action: done, requests: [], result: "sum.go has no function, only a walrus."}}}
- {match: {node: orchestrator, attempt: 2, contains: ["Found out: What does sum.go have?", "only a walrus"]}, reply: {json: {action: executor, reason: small}}}`+
		strings.Replace(writeTests, "contains: [", "contains: [only a walrus, ", 1)+writeRight+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	code, stdout, stderr = w.run("graph", "show")
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^delegate-1/subagent +done; after orchestrator`, stdout)
	require.Regexp(t, `(?m)^orchestrator +done, attempt 2`, stdout)
	readsWell(t, stdout)
}

// The events of a run report for each ended node what may follow: whether it is retried, is over, or waits for the
// user.
func TestNodeEvents_CarrySignals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		args   []string
		ends   []string // of the executor, the reviewer and the deciding node, in order
	}{
		"tried again": {
			decideExecutor + writeTests + strings.Replace(writeWrong, "times: 2", "times: 1", 1) + writeRight + reviewPass, nil,
			[]string{"orchestrator SUCCESS", "executor SUCCESS", "review RETRYABLE", "executor SUCCESS", "review SUCCESS"},
		},
		"given up": {
			decideExecutor + writeTests + strings.Replace(writeWrong, "times: 2", "times: 1", 1), []string{"--max-attempts", "1"},
			[]string{"orchestrator SUCCESS", "executor SUCCESS", "review TERMINAL"},
		},
		"for the user": {"\n- {match: {node: orchestrator}, times: 2, reply: {text: well}}", nil, []string{"orchestrator BLOCKED_ON_HUMAN"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script, sumModule())
			_, stdout, stderr := w.run(append([]string{"run", "--trust", "--yes", "--json", "add Add"}, c.args...)...)
			all, _ := events(t, stdout)
			var ends []string
			for _, e := range all {
				var node struct{ ID, Signal string }
				if e.Type != "node" {
					continue
				}
				require.NoError(t, json.Unmarshal(e.Data, &node))
				if node.Signal != "" && strings.Contains("orchestrator executor review", node.ID) {
					ends = append(ends, node.ID+" "+node.Signal)
				}
			}
			require.Equal(t, c.ends, ends, stderr)
			w.played()
		})
	}
}

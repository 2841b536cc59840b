package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// Who plans and who judges may read more first, with tools that only read, and twice at most; what they have looked at is in the next
// request of the same conversation.
func TestRun_PlannerAndReviewerLookFirst(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+`
- match: {node: planner, contains: ["The tools:", "read_file(path", "import_graph(path"]}
  reply: {json: {explanation: "", parts: [], requests: [{provider: read_file, args: {path: sum.go}, why: its names}, {provider: run_command, args: {}, why: to try}]}}
- match: {node: planner, contains: ["Looked at, 1", "read_file {\"path\":\"sum.go\"}", "Package sum adds up", "Looked at, 2", "run_command"]}
  reply: {json: {explanation: "", parts: [], requests: [{provider: symbol_list, args: {path: sum.go}, why: its names}]}}
- match: {node: planner, contains: ["Looked at, 3"]}
  reply: {json: {explanation: "", parts: [], requests: [{provider: read_file, args: {path: go.mod}, why: more}]}}
- match: {node: planner, contains: ["no more tools are called: leave \"requests\" empty, and answer"]}
  reply: {json: {explanation: One., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go, add_test.go], dependsOn: [], verify: [Add adds], doneWhen: Add is there}]}}`+
		writeTests+writeRight+`
- match: {node: review, contains: ["The tools:", "search_code(pattern"]}
  reply: {json: {pass: false, reason: "", issues: [], requests: [{provider: read_file, args: {path: add.go}, why: the change}]}}
- match: {node: review, contains: ["Looked at, 1", "Add adds."]}
  reply: {json: {pass: true, reason: fine, issues: []}}`, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	for _, name := range []string{"planner", "reviewer", "overseer"} {
		shown := asked[api.AgentResult](w, "agents", "show", name)
		require.Equal(t, []string{"read_file", "search_code", "symbol_list", "import_graph"}, shown.Tools, name)
	}
}

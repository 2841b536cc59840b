package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
)

// A run that cannot continue by itself publishes the reason, and what would help, in the document that it is about; a code action
// there resumes it, and the next check clears the diagnostic. No action offers to fix the document.
func TestServer_BlockedRunPublishesADiagnostic(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: "\n- {match: {node: orchestrator}, times: 2, reply: {text: well}}"})
	require.NoError(t, d.engine.Trust(d.root))
	d.Open(d.uri("sum.go"), "go", module["sum.go"])
	about := api.Scope{URI: string(d.uri("sum.go")), Range: &api.Range{Start: api.Position{Line: 3}, End: api.Position{Line: 3, Character: 4}}}
	var run api.RunResult
	require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "add Sub", Approve: "edits", Scope: &about, Wait: true}, &run))
	require.Equal(t, "blocked", run.State)
	said := d.published("sum.go", func(all []protocol.Diagnostic) bool { return len(all) > 0 })
	require.Len(t, said, 1)
	require.Equal(t, uint32(3), said[0].Range.Start.Line)
	require.Contains(t, string(said[0].Message.(protocol.String)), "Blocked: orchestrator: the model gave no usable decision")
	source, _ := said[0].Source.Get()
	require.Equal(t, "forge/run", source)
	var actions []protocol.Command
	require.NoError(t, d.Request(protocol.MethodTextDocumentCodeAction, &protocol.CodeActionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: d.uri("sum.go")}, Range: said[0].Range, Context: protocol.CodeActionContext{Diagnostics: said},
	}, &actions))
	offered := map[string]protocol.Command{}
	for _, a := range actions {
		offered[a.Title] = a
		require.NotContains(t, a.Title, "fix", "the document has no fault to fix")
	}
	resume := offered["Forge: resume the blocked run"]
	require.Equal(t, api.Resume, resume.Command)
	require.Contains(t, string(resume.Arguments[0]), run.RunID)

	require.NoError(t, d.execute(api.Validate, nil, nil))
	d.published("sum.go", func(all []protocol.Diagnostic) bool { return len(all) == 0 })
}

// published waits until the diagnostics of a document are as they should be.
func (d *harness) published(name string, as func([]protocol.Diagnostic) bool) (all []protocol.Diagnostic) {
	d.t.Helper()
	d.Expect(protocol.MethodTextDocumentPublishDiagnostics, func(params []byte) bool {
		var p protocol.PublishDiagnosticsParams
		if protocol.Unmarshal(params, &p) != nil || p.URI != d.uri(name) || !as(p.Diagnostics) {
			return false
		}
		all = p.Diagnostics
		return true
	})
	return all
}

// A run that ended with a question of its model continues with an answer, with one more request, and keeps the tests that it has written.
func TestServer_AnAnswerContinuesABlockedRun(t *testing.T) {
	t.Parallel()
	const asks = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: "", blocked: "May Sub overflow?"}}
`
	answered := strings.Replace(rightSub[len(small+subTests):], "[You implement a change]", `["May Sub overflow?", "The user says: let it wrap"]`, 1)
	d := start(t, setting{script: small + subTests + asks + answered, answer: dismiss})
	require.NoError(t, d.engine.Trust(d.root))
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "blocked", run.State)
	require.Contains(t, run.Reason, "May Sub overflow?")
	before := len(d.script.Requests())

	resumed := ask[api.RunResult](d, api.Resume, api.ResumeArgs{RunID: run.RunID, Answer: "let it wrap", Wait: true})
	require.Equal(t, "succeeded", resumed.State, resumed.Reason)
	require.Len(t, d.script.Requests(), before+2, "the implementation and its review")
	require.Equal(t, map[string]string{"sub_test.go": "pending", "sub.go": "pending"}, statesByPath(d.get("")))
	require.NoError(t, d.script.Verify())
}

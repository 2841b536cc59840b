package server

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
)

// refreshing is a client that requests code lenses again when the server asks.
func refreshing(p *protocol.InitializeParams) {
	taking(p)
	yes := true
	p.Capabilities.Workspace.CodeLens = &protocol.CodeLensWorkspaceClientCapabilities{RefreshSupport: &yes}
}

// lenses are the commands above a document, as a user sees them.
func (d *harness) lenses(u uri.URI) (all []protocol.Command) {
	d.t.Helper()
	var found []protocol.CodeLens
	require.NoError(d.t, d.Request(protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}}, &found))
	for i := range found {
		require.Zero(d.t, found[i].Range, "it stands in the first line")
		if found[i].Command.Command == "" {
			require.NoError(d.t, d.Request(protocol.MethodCodeLensResolve, &found[i], &found[i]))
		}
		all = append(all, found[i].Command)
	}
	return all
}

func titles(commands []protocol.Command) (all []string) {
	for _, c := range commands {
		all = append(all, c.Title)
	}
	return all
}

// faulted is a run whose reviewer finds two errors, and then nothing better to do.
const faulted = `
- {match: {node: orchestrator}, reply: {json: {action: generate_spec, reason: new}}}
- {match: {node: spec}, reply: {json: {title: Sub, spec: Sub subtracts., questions: []}}}` + subTests + `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: i, files: [], blocked: "", patch: "*** Begin Patch\n*** Update File: sum.go\n@@\n // Add adds.\n func Add(a, b int) int { return a + b }\n+\n+// Sub subtracts.\n+func Sub(a, b int) int { return a - b }\n*** End Patch"}}
- match: {node: review}
  reply: {json: {pass: false, reason: hm, issues: [
    {path: sum.go, startLine: 1, endLine: 1, severity: error, category: other, message: it is wrong},
    {path: sum.go, startLine: 1, endLine: 1, severity: error, category: other, message: it is bad}]}}
`

// Above a specification stands how it is with it: its version, and how many rules the last review of work on it has found unmet.
func TestSpecLens_ShowsVersionAndUnmetRules(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: faulted, params: refreshing})
	file := d.uri("SPEC.md")
	require.NoError(t, os.WriteFile(file.FsPath(), []byte("Sub subtracts.\n"), 0o644))
	require.Equal(t, []string{"generate a specification"}, titles(d.lenses(file)))
	require.Empty(t, d.lenses(d.uri("README.md")), "it is no specification")
	require.Empty(t, d.lenses(d.uri("docs/SPEC.md")), "nor is this that of the folder")

	result, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "blocked", result.State, result.Reason)
	d.Expect(protocol.MethodWorkspaceCodeLensRefresh, nil)
	require.Equal(t, []string{"v1 · 2 rules unmet", "bring up to date"}, titles(d.lenses(file)))
	require.Equal(t, []string{"v1 · 2 rules unmet"}, titles(d.lenses("forge://spec/latest")))

	d.specify("Sub subtracts, and says so.\n")
	lenses := d.lenses(file)
	require.Equal(t, []string{"v2", "changes since v1", "bring up to date"}, titles(lenses), "no run has used it")
	require.Equal(t, []string{"v1 · 2 rules unmet"}, titles(d.lenses("forge://spec/1")), "the one before stands as it did")
	require.Empty(t, d.lenses("forge://spec/7"))

	d.Handle(protocol.MethodWindowShowDocument, func([]byte) (any, error) { return &protocol.ShowDocumentResult{Success: true}, nil })
	for i, want := range []string{"forge://spec/2", "forge://spec/1..2"} {
		require.NoError(t, d.Request(protocol.MethodWorkspaceExecuteCommand,
			&protocol.ExecuteCommandParams{Command: lenses[i].Command, Arguments: lenses[i].Arguments}, nil))
		var p protocol.ShowDocumentParams
		require.NoError(t, protocol.Unmarshal(d.Expect(protocol.MethodWindowShowDocument, nil), &p))
		require.Equal(t, want, string(p.URI))
	}
	require.Equal(t, api.GenerateSpec, lenses[2].Command)
	require.JSONEq(t, `{"scope":{"uri":"`+string(file)+`"},"wait":false}`, string(lenses[2].Arguments[0]))
}

// A lens that is none of Forge's is not resolved.
func TestSpecLens_RejectsForeignLenses(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	d.specify("# One\n")
	for _, data := range []string{``, `null`, `7`, `"x"`, `{}`, `{"version":-1}`, `{"version":9}`, `{"version":1,"folder":"file:///elsewhere"}`, `{"version":"1"}`} {
		require.ErrorContains(t, d.Request(protocol.MethodCodeLensResolve, &protocol.CodeLens{Data: protocol.LSPAny(data)}, nil), "", data)
	}
	require.NoError(t, d.Request(protocol.MethodCodeLensResolve, &protocol.CodeLens{Data: protocol.LSPAny(`{"version":1}`)}, nil), "the twin")
	d.alive()
}

// A client that supports refreshes is asked to reload what it shows of a specification when there is another version,
// and no other client is asked.
func TestSpecLens_RefreshesAfterANewVersion(t *testing.T) {
	t.Parallel()
	d := start(t, setting{params: refreshing})
	d.specify("# One\n", "# Two\n")
	for _, address := range []string{"forge://spec/latest", "forge://spec/1"} {
		_, err := d.content(address)
		require.NoError(t, err)
	}
	ask[api.SpecResult](d, api.RollbackSpec, api.SpecArgs{Version: 1})
	d.Expect(protocol.MethodWorkspaceCodeLensRefresh, nil)
	require.JSONEq(t, `{"uri":"forge://spec/latest"}`, string(d.Expect(protocol.MethodWorkspaceTextDocumentContentRefresh, nil)))

	plain := start(t, setting{})
	plain.specify("# One\n")
	ask[api.SpecResult](plain, api.RollbackSpec, api.SpecArgs{Version: 1})
	require.Zero(t, plain.Shutdown(), "every notification was sent")
	for _, m := range plain.Messages() {
		require.NotContains(t, []string{protocol.MethodWorkspaceCodeLensRefresh, protocol.MethodWorkspaceTextDocumentContentRefresh}, m.Method)
	}
}

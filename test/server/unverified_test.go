package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
)

// wrongSub is an implementation that the tests do not accept.
const wrongSub = `- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It adds., files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a + b + 1 }\n"}], patch: "", blocked: ""}}
`

func cannotConfirm(p *protocol.InitializeParams) {
	rich(p)
	p.Capabilities.Workspace.WorkspaceEdit.ChangeAnnotationSupport = nil
	p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations = []protocol.ResourceOperationKind{protocol.ResourceOperationKindCreate}
}

func confirms(p *protocol.InitializeParams) {
	cannotConfirm(p)
	p.Capabilities.Workspace.WorkspaceEdit.ChangeAnnotationSupport = &protocol.ChangeAnnotationsSupportOptions{}
}

// A run that was not accepted offers its best change with what speaks against it. An editor that cannot ask about each edit is asked about all
// of it, and another session takes the change without doing the run again.
func TestUnverified_EditorNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: small + subTests + wrongSub, params: cannotConfirm, answer: choosing("Trust", "Trust and go on")})
	require.NoError(t, d.engine.Trust(d.root))
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits", Bounds: &api.Bounds{Attempts: 1}})
	require.NoError(t, err)
	require.Equal(t, "failed", run.State)
	p := ask[api.Proposal](d, api.ShowProposal, api.ProposalRef{ProposalID: run.ProposalID})
	require.Contains(t, p.Unverified, "go test: fail")
	require.Equal(t, "It adds.", p.Explanation)
	before := d.disk()
	require.ErrorContains(t, d.execute(api.ApplyProposal, api.ProposalArgs{ProposalID: run.ProposalID}, nil), "the change is not verified: go test: fail")
	require.Equal(t, before, d.disk())

	next := start(t, setting{after: d, params: cannotConfirm, answer: choosing()})
	kept := ask[api.RunResult](next, api.Resume, api.ResumeArgs{RunID: run.RunID, Offer: true})
	require.Equal(t, run.ProposalID, kept.ProposalID)
	runs := ask[api.RunsResult](next, api.Runs, api.RunsArgs{All: true}).Runs
	require.Len(t, runs, 1, "nothing was started")
	require.Contains(t, runs[0].Unverified, "go test: fail")
	result := ask[api.ApplyResult](next, api.ApplyProposal, api.ProposalArgs{ProposalID: run.ProposalID, AllowUnverified: true})
	require.Len(t, result.Files, 2)
	require.Equal(t, "applied", result.Files[0].State)
}

// An editor that can ask about each edit does so, with the reason.
func TestUnverified_EachEditNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: small + subTests + wrongSub, params: confirms})
	require.NoError(t, d.engine.Trust(d.root))
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits", Bounds: &api.Bounds{Attempts: 1}})
	require.NoError(t, err)
	var sent protocol.ApplyWorkspaceEditParams
	d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
		return protocol.ApplyWorkspaceEditResult{Applied: false}, protocol.Unmarshal(params, &sent)
	})
	require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{ProposalID: run.ProposalID}, nil))
	require.NotEmpty(t, sent.Edit.ChangeAnnotations)
	for _, a := range sent.Edit.ChangeAnnotations {
		require.True(t, *a.NeedsConfirmation)
		require.Contains(t, *a.Description, "not verified: go test: fail")
	}
}

// In a folder without checks the change is made and offered all the same, as not verified, and nothing is written.
func TestUnverified_NothingChecksTheFolder(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: small + "\n" + wrongSub + reviewed})
	require.NoError(t, os.Remove(filepath.Join(d.root, "go.mod")))
	before := d.disk()
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "blocked", run.State, run.Reason)
	require.Contains(t, run.Reason, "nothing checks this change: Forge finds projects of go (go.mod)")
	p := ask[api.Proposal](d, api.ShowProposal, api.ProposalRef{ProposalID: run.ProposalID})
	require.Contains(t, p.Unverified, "nothing checks this change")
	require.Equal(t, before, d.disk())
}

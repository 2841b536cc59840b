package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
)

// rightSub is an implementation that the tests accept.
const rightSub = small + subTests + `- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It subtracts., files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}], patch: "", blocked: ""}}
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`

// proposedSub is a session with a proposal that creates sub.go and sub_test.go.
func proposedSub(t *testing.T) (*harness, api.RunResult) {
	t.Helper()
	d := start(t, setting{script: rightSub, params: cannotConfirm})
	require.NoError(t, d.engine.Trust(d.root))
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "succeeded", run.State, run.Reason)
	return d, run
}

func (d *harness) get(id string) api.Proposal {
	d.t.Helper()
	return ask[api.Proposal](d, api.ShowProposal, api.ProposalRef{ProposalID: id})
}

func statesByPath(p api.Proposal) map[string]string {
	states := map[string]string{}
	for _, file := range p.Files {
		states[file.Path] = file.State
	}
	return states
}

func onlyFile(path string) *api.Select { return &api.Select{Files: []string{path}} }

// After a restart of the editor the proposal is listed, with what was decided and what was changed by hand, and is applied, without a run being resumed.
func TestStored_ProposalOfAnEarlierSession(t *testing.T) {
	t.Parallel()
	d, run := proposedSub(t)
	const mine = "package sum\n\n// Sub subtracts b.\nfunc Sub(a, b int) int { return a - b }\n"
	amended := ask[api.Proposal](d, api.AmendProposal, api.AmendArgs{Path: "sub.go", Text: mine})
	require.Equal(t, []string{"amended", "checking"}, []string{amended.Checks.Of, amended.Checks.State})
	d.Expect(api.ProposalMethod, nil)
	require.Equal(t, []string{"amended", "checked"}, []string{d.get("").Checks.Of, d.get("").Checks.State})
	ask[api.ApplyResult](d, api.RejectProposal, api.RejectArgs{Select: onlyFile("sub_test.go"), Note: "use a table"})
	d.Expect(api.ProposalMethod, nil) // it is another version without the file

	next := start(t, setting{after: d, params: cannotConfirm})
	require.Empty(t, ask[api.ProposalList](next, api.ListProposals, api.ProposalsArgs{}).Proposals)
	all := ask[api.ProposalList](next, api.ListProposals, api.ProposalsArgs{All: true}).Proposals
	require.Len(t, all, 1)
	p := all[0]
	require.Equal(t, run.ProposalID, p.ProposalID)
	require.True(t, p.Stored)
	require.Equal(t, map[string]string{"sub_test.go": "rejected", "sub.go": "pending"}, statesByPath(p))
	require.Equal(t, "use a table", p.Files[1].Hunks[0].Note)
	require.Equal(t, []string{"amended", "checked"}, []string{p.Checks.Of, p.Checks.State})
	proposed, err := next.content(p.Files[0].Proposed)
	require.NoError(t, err)
	require.Equal(t, mine, proposed)
	require.Equal(t, run.ProposalID, next.get("").ProposalID, "the newest one is the last one")

	result := ask[api.ApplyResult](next, api.ApplyProposal, api.ProposalArgs{ProposalID: run.ProposalID})
	require.Equal(t, "applied", result.Files[0].State, result.Files[0].Message)
	require.Equal(t, mine, next.disk()["sub.go"])
	require.NotContains(t, next.disk(), "sub_test.go")

	last := start(t, setting{after: d, params: func(p *protocol.InitializeParams) {
		cannotConfirm(p)
		p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations = []protocol.ResourceOperationKind{protocol.ResourceOperationKindDelete}
	}})
	require.Empty(t, ask[api.ProposalList](last, api.ListProposals, api.ProposalsArgs{All: true}).Proposals, "all of it is decided")
	require.Equal(t, map[string]string{"sub_test.go": "rejected", "sub.go": "accepted"}, statesByPath(last.get(run.ProposalID)))
	undo := ask[api.Proposal](last, api.Undo, api.UndoArgs{DryRun: true})
	require.Equal(t, "delete", undo.Files[0].Kind)
	ask[api.ApplyResult](last, api.ApplyProposal, api.ProposalArgs{ProposalID: undo.ProposalID})
	require.NotContains(t, last.disk(), "sub.go")
	require.Empty(t, ask[api.ProposalList](start(t, setting{after: d}), api.ListProposals, api.ProposalsArgs{All: true}).Proposals, "what was undone is not offered")
}

// With several open folders, the server finds the one that a run of an earlier session changed; without a run, the user names the folder.
func TestStored_UndoInOneOfSeveralFolders(t *testing.T) {
	t.Parallel()
	d, run := proposedSub(t)
	ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{Select: onlyFile("sub.go")})
	other := t.TempDir()
	next := start(t, setting{after: d, params: func(p *protocol.InitializeParams) {
		own, _ := p.WorkspaceFolders.Get()
		p.WorkspaceFolders = protocol.NewNullable(append([]protocol.WorkspaceFolder{{URI: uri.File(other), Name: "other"}}, own...))
	}})
	undo := ask[api.Proposal](next, api.Undo, api.UndoArgs{RunID: run.RunID, DryRun: true})
	require.Equal(t, string(next.uri("")), undo.Folder)
	require.Equal(t, statesByPath(undo), statesByPath(ask[api.Proposal](next, api.Undo, api.UndoArgs{Folder: undo.Folder, DryRun: true})))
	require.ErrorContains(t, next.execute(api.Undo, api.UndoArgs{DryRun: true}, nil), "Several folders are open")
}

// An editor that starts again opens the texts that were never saved one by one, also after it has asked for the proposals.
func TestStored_AcceptedTextThatWasNotSaved(t *testing.T) {
	t.Parallel()
	d, run := proposedSub(t)
	ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{Select: onlyFile("sub.go")})
	text := d.disk()["sub.go"]
	require.NoError(t, os.Remove(filepath.Join(d.root, "sub.go")))

	next := start(t, setting{after: d, params: cannotConfirm})
	p := ask[api.ProposalList](next, api.ListProposals, api.ProposalsArgs{All: true}).Proposals[0]
	require.Equal(t, map[string]string{"sub_test.go": "pending", "sub.go": "pending"}, statesByPath(p))
	next.Open(next.uri("sub.go"), "go", text)
	require.Equal(t, map[string]string{"sub_test.go": "pending", "sub.go": "accepted"}, statesByPath(next.get(run.ProposalID)))
}

// In a window whose workspace the user does not trust, nothing of a folder is executed that a terminal has trusted: no check begins by itself, and no
// question leads past it. What Forge has recorded stays. When the user trusts the workspace, all is as elsewhere.
func TestStored_RestrictedWindowExecutesNothing(t *testing.T) {
	t.Parallel()
	d, run := proposedSub(t)
	next := start(t, setting{after: d, params: func(p *protocol.InitializeParams) {
		cannotConfirm(p)
		p.InitializationOptions = protocol.LSPAny(`{"restricted":true}`)
	}})
	id := run.ProposalID
	accepted := ask[api.ApplyResult](next, api.ApplyProposal, api.ProposalArgs{ProposalID: id, Select: onlyFile("sub_test.go")})
	require.NotEmpty(t, accepted.Checkpoint, accepted.Files)
	next.Expect(api.ProposalMethod, nil)
	require.Equal(t, api.Checks{Of: "part", State: "unchecked", Gates: []api.Gate{}, Note: "Gates have judged the whole change, not this part of it."}, next.get(id).Checks)
	for command, args := range map[string]any{api.CheckProposal: api.CheckArgs{ProposalID: id}, api.Validate: api.ValidateArgs{}, api.DetectGates: api.FolderArgs{}} {
		require.Regexp(t, "not trusted.* trust it in the editor$", next.execute(command, args, nil).Error(), command)
	}
	again, err := next.run(api.RunArgs{Task: "add Mul", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "blocked", again.State)
	require.Contains(t, again.Reason, "the editor has restricted this workspace")
	require.Len(t, ask[api.CheckpointsResult](next, api.Checkpoints, api.FolderArgs{}).Checkpoints, 1)
	require.Contains(t, ask[api.Proposal](next, api.Undo, api.UndoArgs{Folder: string(next.uri("")), DryRun: true}).Diff, "sub_test.go")

	next.Notify(api.RestrictMethod, api.Restriction{Restricted: false})
	require.Equal(t, "checked", ask[api.Proposal](next, api.CheckProposal, api.CheckArgs{ProposalID: id}).Checks.State)
}

// Two windows on one folder see each other's runs and proposals, and what is decided in one of them.
func TestStored_TwoWindowsOnOneFolder(t *testing.T) {
	t.Parallel()
	other := start(t, setting{params: cannotConfirm})
	d := start(t, setting{after: other, script: rightSub, params: cannotConfirm})
	require.NoError(t, d.engine.Trust(d.root))
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)

	runs := ask[api.RunsResult](other, api.Runs, api.RunsArgs{All: true}).Runs
	require.Len(t, runs, 1)
	require.Equal(t, run.ProposalID, runs[0].ProposalID)
	require.NotEmpty(t, ask[api.EventsResult](other, api.Events, api.EventsArgs{RunID: run.RunID}).Events)
	require.Len(t, ask[api.ProposalList](other, api.ListProposals, api.ProposalsArgs{All: true}).Proposals, 1)
	ask[api.ApplyResult](other, api.RejectProposal, api.RejectArgs{ProposalID: run.ProposalID, Select: onlyFile("sub_test.go")})
	require.Equal(t, map[string]string{"sub_test.go": "rejected", "sub.go": "pending"}, statesByPath(d.get("")))
	ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{})
	require.Equal(t, map[string]string{"sub_test.go": "rejected", "sub.go": "accepted"}, statesByPath(other.get(run.ProposalID)))
}

func TestStored_UnknownAndForeignProposals(t *testing.T) {
	t.Parallel()
	d, run := proposedSub(t)
	elsewhere := start(t, setting{params: func(p *protocol.InitializeParams) { cannotConfirm(p) }})
	elsewhere.state = d.state
	for name, c := range map[string]struct {
		on   *harness
		id   string
		says string
	}{
		"unknown":        {d, "p-none", "This proposal does not exist any more."},
		"another folder": {start(t, setting{after: &harness{root: elsewhere.root, state: d.state}}), run.ProposalID, "Open that folder to see it."},
		"none yet":       {elsewhere, "", "There is no proposal yet."},
	} {
		err := c.on.execute(api.ShowProposal, api.ProposalRef{ProposalID: c.id}, nil)
		var wire *jsonrpc2.Error
		require.ErrorAs(t, err, &wire, name)
		require.Contains(t, wire.Message, c.says, name)
	}
}

// A part that was accepted is judged by the gates in a copy of the folder, by themselves, and at once on request.
func TestCheck_JudgesAPart(t *testing.T) {
	t.Parallel()
	d, run := proposedSub(t)
	whole := d.get("")
	require.Equal(t, []string{"whole", "checked"}, []string{whole.Checks.Of, whole.Checks.State})
	result := ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{Select: onlyFile("sub_test.go")})
	require.Equal(t, []string{"part", "checking"}, []string{result.Checks.Of, result.Checks.State})
	require.Contains(t, result.Message, "judge this part")

	p := ask[api.Proposal](d, api.CheckProposal, api.CheckArgs{})
	require.Equal(t, []string{"part", "checked"}, []string{p.Checks.Of, p.Checks.State})
	vet := verdictsOf(p.Checks.Gates)
	require.Equal(t, "fail", vet["go test"], "the tests without what they test: %v", vet)
	d.Expect(protocol.MethodTextDocumentPublishDiagnostics, func(params []byte) bool {
		return strings.Contains(string(params), "sub_test.go") && strings.Contains(string(params), "undefined: Sub")
	})
	p = ask[api.Proposal](d, api.CheckProposal, api.CheckArgs{What: "open"})
	require.Equal(t, "pass", verdictsOf(p.Checks.Gates)["go test"], "with what is still open")
	require.NotContains(t, d.disk(), "sub.go", "nothing is written to the folder")

	next := start(t, setting{after: d, params: cannotConfirm})
	p = next.get(run.ProposalID)
	require.Equal(t, "checked", p.Checks.State, "a check is kept")
	ask[api.Proposal](next, api.AmendProposal, api.AmendArgs{Path: "sub.go", Text: "package sum\n\nfunc Sub(a, b int) int { return a }\n"})
	require.Equal(t, "checking", next.get("").Checks.State)
	p = ask[api.Proposal](next, api.CheckProposal, api.CheckArgs{What: "open"})
	require.Equal(t, []string{"amended", "checked", "fail"}, []string{p.Checks.Of, p.Checks.State, verdictsOf(p.Checks.Gates)["go test"]})
}

// What failed before the change is not charged to it.
func TestCheck_KnownFailuresAreNotNew(t *testing.T) {
	t.Parallel()
	d, _ := proposedSub(t)
	d.Open(d.uri("sum_test.go"), "go", "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tt.Error(\"red before\")\n}\n")
	p := ask[api.Proposal](d, api.CheckProposal, api.CheckArgs{})
	at := slices.IndexFunc(p.Checks.Gates, func(g api.Gate) bool { return g.Name == "go test" })
	require.GreaterOrEqual(t, at, 0)
	suite := p.Checks.Gates[at]
	require.Equal(t, "pass", suite.Verdict)
	require.Positive(t, suite.Known, "that it is red is not kept from the user")
	require.Contains(t, suite.Summary, "from before the change")
	require.Empty(t, suite.Findings)
}

// A test that failed before a run and still fails is named in the proposal.
func TestServer_ARunNamesATestThatStillFails(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: rightSub, params: cannotConfirm})
	require.NoError(t, d.engine.Trust(d.root))
	old := "package sum\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(\"as ever\") }\n"
	require.NoError(t, os.WriteFile(filepath.Join(d.root, "old_test.go"), []byte(old), 0o600))
	run, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "succeeded", run.State, run.Reason)
	gates := d.get(run.ProposalID).Gates
	at := slices.IndexFunc(gates, func(g api.Gate) bool { return g.Name == "go test" })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, "pass", gates[at].Verdict)
	require.Equal(t, 1, gates[at].Known)
	require.Equal(t, "nothing new; 1 finding from before the change: example.com/sum.TestOld", gates[at].Summary)
}

func verdictsOf(gates []api.Gate) map[string]string {
	verdicts := map[string]string{}
	for _, g := range gates {
		verdicts[g.Name] = g.Verdict
	}
	return verdicts
}

// A rejection with a retry starts another run of the task, whose model reads why the first change was rejected.
func TestReject_RetryIsToldTheNotes(t *testing.T) {
	t.Parallel()
	d, run := proposedSub(t)
	result := ask[api.ApplyResult](d, api.RejectProposal, api.RejectArgs{Note: "name it Minus", Retry: true})
	require.NotNil(t, result.Run)
	require.NotEqual(t, run.RunID, result.Run.RunID)
	require.NoError(t, d.execute(api.Log, api.LogArgs{RunID: result.Run.RunID}, nil))
	d.Expect(api.EventMethod, func(params []byte) bool {
		text := string(params)
		return strings.Contains(text, result.Run.RunID) && strings.Contains(text, "add Sub") && strings.Contains(text, "sub.go: name it Minus")
	})
	require.Equal(t, "name it Minus", d.get(run.ProposalID).Files[0].Hunks[0].Note)
}

package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/permission"
	"forge/engine/secret"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/memory"
)

// rich is a client with a user interface of its own for Forge.
func rich(p *protocol.InitializeParams) {
	p.Capabilities.Experimental = protocol.LSPAny(`{"forge":true}`)
}

// choosing answers every question with an action of one of these titles, and dismisses all others.
func choosing(titles ...string) func(protocol.ShowMessageRequestParams) *protocol.MessageActionItem {
	return func(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem {
		for _, title := range titles {
			for i := range q.Actions {
				if q.Actions[i].Title == title {
					return &q.Actions[i]
				}
			}
		}
		return nil
	}
}

func ask[T any](d *harness, name string, args any) T {
	d.t.Helper()
	var result T
	require.NoError(d.t, d.execute(name, args, &result), name)
	return result
}

// until waits for an event of a type.
func (d *harness) until(kind string) {
	d.t.Helper()
	d.Expect(api.EventMethod, func(params []byte) bool { return strings.Contains(string(params), `"type":"`+kind+`"`) })
}

const (
	// cutAfterDecision decides, and then hangs: what was decided is not asked again.
	cutAfterDecision = small + `
- {match: {node: executor}, fault: {kind: hang}, times: -1}`
	afterDecision = subTests + `- match: {node: executor, contains: [You implement a change]}
  reply:
    json:
      explanation: i
      files: []
      patch: |
        *** Begin Patch
        *** Update File: sum.go
        @@
         // Add adds.
         func Add(a, b int) int { return a + b }
        +
        +// Sub subtracts.
        +func Sub(a, b int) int { return a - b }
        *** End Patch
      blocked: ""
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`
)

// interrupted is a session that ended in the middle of a run.
func interrupted(t *testing.T) (d *harness, runID string) {
	t.Helper()
	d = start(t, setting{script: cutAfterDecision, params: rich, answer: choosing("Trust and run")})
	run := ask[api.RunResult](d, api.Run, api.RunArgs{Task: "add Sub", Approve: "edits"})
	d.until("ask")
	ask[api.AnswerResult](d, api.Answer, api.AnswerArgs{RunID: run.RunID, AskID: "trust", Choice: "trust"})
	d.until("model")
	require.Zero(t, d.Shutdown())
	d.engine.Close()
	return d, run.RunID
}

// The run that a session left behind is offered to the next one. Resumed, it ends like an undisturbed run: no call
// is repeated, and its proposal can be accepted, undone and redone.
func TestServer_NextSessionResumesTheRun(t *testing.T) {
	t.Parallel()
	before, id := interrupted(t)
	d := start(t, setting{after: before, script: afterDecision, params: rich, answer: choosing("Resume")})
	question := d.Expect(protocol.MethodWindowShowMessageRequest, nil)
	require.Contains(t, string(question), `a run was interrupted: \"add Sub\" (just now). Resume it?`)
	d.until("run.ended")
	require.NoError(t, d.script.Verify(), "each call once, over both sessions")

	runs := ask[api.RunsResult](d, api.Runs, api.RunsArgs{All: true}).Runs
	require.Len(t, runs, 1, "a run of this session is not reported twice")
	require.Equal(t, id, runs[0].RunID)
	require.Equal(t, "succeeded", runs[0].State)
	events := ask[api.EventsResult](d, api.Events, api.EventsArgs{RunID: id}).Events
	require.Equal(t, "run.started", events[0].Type)
	for i, e := range events {
		require.Equal(t, i+1, e.Seq)
	}
	log := ask[api.LogResult](d, api.Log, api.LogArgs{Phase: "run"})
	require.Equal(t, id, log.RunID)
	require.Contains(t, log.Lines[len(log.Lines)-1].Text, "succeeded")

	attempts := ask[api.IterationsResult](d, api.Iterations, api.IterationsArgs{RunID: id}).Iterations
	require.Len(t, attempts, 1)
	require.Equal(t, "executor", attempts[0].Node)
	require.True(t, attempts[0].Accepted)
	require.Equal(t, 1, ask[api.IterationsResult](d, api.Iterations, api.IterationsArgs{RunID: id, Reset: true}).Forgotten)
	require.Empty(t, ask[api.IterationsResult](d, api.Iterations, api.IterationsArgs{}).Iterations)

	d.Open(d.uri("sum.go"), "go", module["sum.go"])
	applied := ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{Select: &api.Select{Files: []string{"sum.go"}}})
	require.NotEmpty(t, applied.Checkpoint, applied.Files)
	undo := ask[api.Proposal](d, api.Undo, api.UndoArgs{DryRun: true})
	ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{ProposalID: undo.ProposalID})
	redo := ask[api.Proposal](d, api.Redo, api.UndoArgs{DryRun: true})
	require.Contains(t, redo.Diff, "+func Sub")
	ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{ProposalID: redo.ProposalID})
	ledger := ask[api.CheckpointsResult](d, api.Checkpoints, api.FolderArgs{}).Checkpoints
	require.Len(t, ledger, 3)
	require.Equal(t, []string{undo.RunID, id, ""}, []string{ledger[0].Undoes, ledger[1].Undoes, ledger[2].Undoes})
}

// Without a confirmation nothing happens: the run stays as it is, and can be resumed by command, or killed.
func TestServer_UnconfirmedResumeKeepsTheRun(t *testing.T) {
	t.Parallel()
	before, id := interrupted(t)
	d := start(t, setting{after: before, script: afterDecision, params: rich, answer: choosing()})
	d.Expect(protocol.MethodWindowShowMessageRequest, nil)
	require.Empty(t, ask[api.RunsResult](d, api.Runs, api.RunsArgs{}).Runs)
	kept := ask[api.RunsResult](d, api.Runs, api.RunsArgs{All: true}).Runs
	require.Len(t, kept, 1)
	require.Equal(t, "interrupted", kept[0].State)
	require.Contains(t, ask[api.LogResult](d, api.Log, api.LogArgs{RunID: id, Severity: "info"}).Lines[0].Text, "add Sub")

	resumed := ask[api.RunResult](d, api.Resume, api.ResumeArgs{Wait: true})
	require.Equal(t, id, resumed.RunID)
	require.Equal(t, "succeeded", resumed.State)
	require.NoError(t, d.script.Verify())
	again := ask[api.RunResult](d, api.Resume, api.ResumeArgs{RunID: id, Wait: true})
	require.Equal(t, resumed.ProposalID, again.ProposalID, "what succeeded offers its proposal again")
}

func TestServer_KillsARun(t *testing.T) {
	t.Parallel()
	before, id := interrupted(t)
	d := start(t, setting{after: before, params: rich, answer: choosing()})
	require.Equal(t, api.StateResult{RunID: id, State: "cancelled"}, ask[api.StateResult](d, api.Kill, api.KillArgs{RunID: id}))
	require.Equal(t, "cancelled", ask[api.StateResult](d, api.Kill, api.KillArgs{RunID: id}).State)

	var wire *jsonrpc2.Error
	for name, c := range map[string]struct {
		command string
		args    any
		says    string
	}{
		"nothing to resume": {api.Resume, api.ResumeArgs{}, "No run of file://"},
		"no such run":       {api.Resume, api.ResumeArgs{RunID: "r-none"}, "no such run"},
		"no run named":      {api.Kill, api.KillArgs{}, "Choose the run to stop"},
		"none to kill":      {api.Kill, api.KillArgs{RunID: "r-none"}, "no such run"},
		"no events":         {api.Events, api.EventsArgs{RunID: "r-none"}, "no such run"},
		"no attempts":       {api.Iterations, api.IterationsArgs{RunID: "r-none"}, "no such run"},
		"which attempts":    {api.Iterations, api.IterationsArgs{Reset: true}, "give the run whose attempts"},
		"no phase":          {api.Log, map[string]any{"phase": "fly"}, "phase"},
		"no tier":           {api.SetMemory, map[string]any{"key": "a", "value": "b", "tier": "short"}, "tier"},
		"no row":            {api.WhyMemory, api.MemoryIDArgs{ID: "entry-9"}, "not found"},
		"no id":             {api.ForgetMemory, api.MemoryIDArgs{ID: "x"}, "no id of memory"},
		"nothing to find":   {api.SearchMemory, api.MemorySearchArgs{}, "what to search for"},
		"no specification":  {api.ShowSpec, api.SpecArgs{}, "not found"},
		"not open":          {api.GC, api.GCArgs{InFolder: api.InFolder{Folder: "file:///elsewhere"}}, "is not open"},
	} {
		require.ErrorAs(t, d.execute(c.command, c.args, nil), &wire, name)
		require.EqualValues(t, -32602, wire.Code, "%s: %s", name, wire.Message)
		require.Contains(t, wire.Message, c.says, name)
	}
	d.alive()
}

// Editors see the same stored data of a folder as the command line.
func TestServer_ProjectMatchesTheCommandLine(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	set := ask[api.MemoryRow](d, api.SetMemory, api.MemorySetArgs{Key: "build", Value: "make"})
	require.Equal(t, set, ask[api.MemoryRow](d, api.ReadMemory, api.MemoryKeyArgs{Key: "build"}))
	require.Equal(t, []api.MemoryRow{set}, ask[api.MemoryResult](d, api.ListMemory, api.MemoryListArgs{Kind: "entry"}).Rows)
	found := ask[api.MemoryResult](d, api.SearchMemory, api.MemorySearchArgs{Text: "make"}).Rows
	require.Len(t, found, 1)
	require.Positive(t, found[0].Score)
	require.Equal(t, "user", ask[api.MemoryWhyResult](d, api.WhyMemory, api.MemoryIDArgs{ID: set.ID}).Origin)
	exported := ask[api.MemoryExportResult](d, api.ExportMemory, api.MemoryExportArgs{})
	require.Equal(t, 1, exported.Rows)
	ask[api.MemoryForgotten](d, api.ForgetMemory, api.MemoryIDArgs{ID: set.ID})
	imported := ask[api.MemoryImportResult](d, api.ImportMemory, api.MemoryImportArgs{Text: exported.Text + "x\n", Scope: "global"})
	require.Equal(t, 1, imported.Added)
	require.Equal(t, 2, imported.Bad[0].Line)
	require.Equal(t, "global", ask[api.MemoryRow](d, api.ReadMemory, api.MemoryKeyArgs{Key: "build"}).Scope)

	m, err := d.engine.Memory(t.Context(), d.root)
	require.NoError(t, err)
	for _, text := range []string{"one\n", "two\n"} {
		_, err := m.SaveSpec(t.Context(), memory.Spec{Text: text, Source: memory.Source{Origin: memory.User}})
		require.NoError(t, err)
	}
	require.Equal(t, "two\n", ask[api.SpecResult](d, api.ShowSpec, api.SpecArgs{}).Text)
	require.Contains(t, ask[api.SpecDiffResult](d, api.DiffSpec, api.SpecDiffArgs{From: 1}).Diff, "-one\n+two\n")
	require.Equal(t, 3, ask[api.SpecResult](d, api.RollbackSpec, api.SpecArgs{Version: 1}).Version)

	p := ask[api.Project](d, api.ShowProject, api.FolderArgs{})
	dir, err := workspace.ProjectDir(d.state, d.root)
	require.NoError(t, err)
	require.Equal(t, filepath.Base(dir), p.ID)
	require.Equal(t, []api.Project{p}, ask[api.ProjectsResult](d, api.ListProjects, api.NoArgs{}).Projects)
	require.Empty(t, ask[api.SessionsResult](d, api.ListSessions, api.NoArgs{}).Sessions, "nothing is worked on")
	gc := ask[api.GCResult](d, api.GC, api.GCArgs{DryRun: true})
	require.Zero(t, gc.MemoryRows)
	require.Positive(t, gc.BytesBefore)
}

// What the user has allowed and every decision are commands of the editor, too; a log that was changed is reported with the rows before.
func TestPermissions_AreListedAndResetInAnEditor(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	project, err := state.New(state.Options{Dir: d.state, Now: time.Now, Secrets: secret.New()}).Project(d.root)
	require.NoError(t, err)
	kept, now := project.Permissions(), time.Now()
	for _, tool := range []string{"run_command", "web_get"} {
		require.NoError(t, kept.Record(t.Context(), permission.Row{Time: now, Run: "r-" + tool, Tool: tool, Verdict: "allow", Layer: "answer", Scope: permission.Project}))
		require.NoError(t, kept.Keep(t.Context(), permission.Grant{Tool: tool, Shown: "it", Digest: tool, Scope: permission.Project, Given: now, Expires: now.Add(time.Hour)}))
	}
	log := ask[api.AuditResult](d, api.Audit, api.AuditArgs{})
	require.Len(t, log.Rows, 2)
	require.Empty(t, log.Broken)
	require.Equal(t, log.Rows[0].Hash, log.Rows[1].Prev)
	require.Equal(t, log.Rows[1:], ask[api.AuditResult](d, api.Audit, api.AuditArgs{Run: "r-web_get"}).Rows)

	require.Len(t, ask[api.PermissionsResult](d, api.ListPermissions, api.FolderArgs{}).Permissions, 2)
	require.Equal(t, 1, ask[api.PermissionsReset](d, api.ResetPermissions, api.PermissionsResetArgs{Tool: "web_get"}).Forgotten)
	left := ask[api.PermissionsResult](d, api.ListPermissions, api.FolderArgs{}).Permissions
	require.Len(t, left, 1)
	require.Equal(t, "run_command", left[0].Tool)
	require.Equal(t, 1, ask[api.PermissionsReset](d, api.ResetPermissions, api.PermissionsResetArgs{}).Forgotten)
	require.Empty(t, ask[api.PermissionsResult](d, api.ListPermissions, api.FolderArgs{}).Permissions)

	dir, err := workspace.ProjectDir(d.state, d.root)
	require.NoError(t, err)
	file := filepath.Join(dir, "audit.jsonl")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(data), `"web_get"`, `"web_got"`, 1)), 0o600))
	log = ask[api.AuditResult](d, api.Audit, api.AuditArgs{})
	require.Len(t, log.Rows, 1)
	require.Contains(t, log.Broken, "row 2 of the audit log does not fit")
}

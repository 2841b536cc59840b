package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/engine"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/lsp"
	"forge/lsp/lsptest"
	"forge/patch"
)

// fakeEngine runs scripts instead of pipelines.
type fakeEngine struct {
	fakeStore
	script func(ctx context.Context, r *scriptedRun) execution.Result
	undo   func(root, id string) (*proposal.Proposal, error)

	mu       sync.Mutex // guards what follows
	requests []engine.Request
	planned  []patch.ChangeSet
	closed   int // recordings that were called
	recorded []patch.ChangeSet
	running  sync.WaitGroup
}

// scriptedRun is what a script sees of its run.
type scriptedRun struct {
	engine.Request
	ID     string
	Log    *event.Log
	Speech *event.LiveText
}

func (e *fakeEngine) Start(r engine.Request) (*execution.Run, error) {
	e.mu.Lock()
	e.requests = append(e.requests, r)
	id := fmt.Sprintf("r%d", len(e.requests))
	e.mu.Unlock()
	log := event.NewLog(id, time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	run, end := execution.NewRun(id, r.Task, r.Snapshot.Root, log, cancel)
	e.running.Go(func() {
		defer cancel()
		log.Append(event.RunStarted{Task: r.Task, Folder: r.Snapshot.Root, Model: "scripted"})
		end(e.script(ctx, &scriptedRun{Request: r, ID: id, Log: log, Speech: &run.LiveText}))
	})
	return run, nil
}

func (e *fakeEngine) Prepare(_ context.Context, _ string, p *proposal.Proposal, planned patch.ChangeSet) (history.Recording, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.planned = append(e.planned, planned)
	return func(_ context.Context, accepted patch.ChangeSet) (string, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.closed++
		if len(accepted.Files) == 0 {
			return "", nil
		}
		e.recorded = append(e.recorded, accepted)
		return "checkpoint-" + p.RunID, nil
	}, nil
}

func (e *fakeEngine) Admits(string) error { return nil }

func (e *fakeEngine) Trust(string) error { return nil }

func (e *fakeEngine) RecoverSeen(context.Context, workspace.Snapshot) error { return nil }

func (e *fakeEngine) Tidy(context.Context, string) error { return nil }

func (e *fakeEngine) Redo(context.Context, string, string) (*proposal.Proposal, error) {
	return nil, history.ErrNothingToRedo
}

func (e *fakeEngine) Undo(_ context.Context, root, id string) (*proposal.Proposal, error) {
	if e.undo == nil {
		return nil, history.ErrNothingToUndo
	}
	return e.undo(root, id)
}

// Sweep refuses, and says what it was asked.
func (e *fakeEngine) Sweep(_ context.Context, s workspace.Snapshot, name string, args json.RawMessage) (engine.Swept, error) {
	return engine.Swept{Refused: true, Text: fmt.Sprintf("%s %s %v", name, args, slices.Sorted(maps.Keys(s.Unsaved)))}, nil
}

// Explore says what it was asked, and of which texts that are not saved.
func (e *fakeEngine) Explore(_ context.Context, s workspace.Snapshot, provider string, args json.RawMessage) (engine.Explored, error) {
	return engine.Explored{Text: fmt.Sprintf("%s %s %v", provider, args, slices.Sorted(maps.Keys(s.Unsaved))), Cut: true}, nil
}

func (e *fakeEngine) Doctor(context.Context) []checks.Check {
	return []checks.Check{{Name: "go", State: checks.CheckOK, Detail: "go1.26"}}
}

// parts is the fake as a server takes it. What else a server may ask for is asked of the real engine, in test/server.
func (e *fakeEngine) parts() lsp.Engine {
	return lsp.Engine{
		Runner: e, Edits: e, Runs: e, Machine: e, Explorer: e, Sweeper: e, Batches: e.batches, Costs: e.costs, Gates: e.gates,
	}
}

func (e *fakeEngine) started() []engine.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]engine.Request(nil), e.requests...)
}

func (e *fakeEngine) records() []patch.ChangeSet {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]patch.ChangeSet(nil), e.recorded...)
}

// proposing is a script that ends with a change set, without a question or a gate on the way.
func proposing(files ...patch.FileChange) func(context.Context, *scriptedRun) execution.Result {
	return func(_ context.Context, r *scriptedRun) execution.Result {
		p := propose(r.ID, files...)
		r.Log.Append(event.ProposalReady{ProposalID: p.ID, Files: len(p.Files), Hunks: 1})
		return execution.Result{State: event.Succeeded, Proposal: p}
	}
}

func propose(runID string, files ...patch.FileChange) *proposal.Proposal {
	gates := []gate.Report{{Gate: "go test", Verdict: gate.Pass}}
	p := proposal.New("p-"+runID, runID, "add Sub", patch.ChangeSet{Files: files}, gates, nil)
	p.Explanation = "It subtracts,\nas asked."
	return p
}

// harness is an editor with a folder, a server and a fake engine.
type harness struct {
	*lsptest.Editor
	t      *testing.T
	engine *fakeEngine
	root   string
}

// capable changes what the editor says it can do.
type capable func(p *protocol.InitializeParams)

// start starts a session on a folder with these files. The editor is as strong as text editors are: it
// applies versioned edits without a preview, creates, renames and deletes, and shows progress.
func start(t *testing.T, files map[string]string, e *fakeEngine, changes ...capable) *harness {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		full := filepath.Join(root, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	t.Cleanup(e.running.Wait) // after the session has ended, which ends its runs
	d := &harness{Editor: lsptest.Start(t, lsp.Options{Engine: e.parts(), Version: "test"}), t: t, engine: e, root: root}
	d.Initialize(func(p *protocol.InitializeParams) {
		folders := []protocol.WorkspaceFolder{{URI: uri.File(root), Name: "w"}}
		p.WorkspaceFolders = protocol.NewNullable(folders)
		able(p)
		for _, change := range changes {
			change(p)
		}
	})
	return d
}

func able(p *protocol.InitializeParams) {
	yes := true
	edits := p.Capabilities.Workspace.WorkspaceEdit
	edits.ResourceOperations = []protocol.ResourceOperationKind{
		protocol.ResourceOperationKindCreate, protocol.ResourceOperationKindRename, protocol.ResourceOperationKindDelete,
	}
	p.Capabilities.TextDocument.CodeAction = &protocol.CodeActionClientCapabilities{
		CodeActionLiteralSupport: protocol.ClientCodeActionLiteralOptions{
			CodeActionKind: protocol.ClientCodeActionKindOptions{ValueSet: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}},
		},
		DisabledSupport: &yes,
	}
}

// rich is a client with a user interface of its own for Forge.
func rich(p *protocol.InitializeParams) {
	p.Capabilities.Experimental = protocol.LSPAny(`{"forge":true}`)
}

// annotating is a client that previews annotated edits.
func annotating(p *protocol.InitializeParams) {
	p.Capabilities.Workspace.WorkspaceEdit.ChangeAnnotationSupport = &protocol.ChangeAnnotationsSupportOptions{}
}

func withoutDocumentChanges(p *protocol.InitializeParams) {
	p.Capabilities.Workspace.WorkspaceEdit = &protocol.WorkspaceEditClientCapabilities{}
}

func withoutResourceOperations(p *protocol.InitializeParams) {
	p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations = nil
}

func withoutProgress(p *protocol.InitializeParams) { p.Capabilities.Window.WorkDoneProgress = nil }

func withoutApplyEdit(p *protocol.InitializeParams) { p.Capabilities.Workspace.ApplyEdit = nil }

func (d *harness) uri(path string) uri.URI {
	return uri.File(filepath.Join(d.root, filepath.FromSlash(path)))
}

// execute runs a command with one argument, a value of api or raw JSON.
func (d *harness) execute(name string, args, result any) error {
	d.t.Helper()
	return d.Request(protocol.MethodWorkspaceExecuteCommand, executeParams(d.t, name, args), result)
}

func executeParams(t *testing.T, name string, args any) *protocol.ExecuteCommandParams {
	t.Helper()
	params := &protocol.ExecuteCommandParams{Command: name}
	switch a := args.(type) {
	case nil:
	case protocol.LSPAny:
		params.Arguments = []protocol.LSPAny{a}
	default:
		raw, err := protocol.Marshal(args)
		require.NoError(t, err)
		params.Arguments = []protocol.LSPAny{raw}
	}
	return params
}

// bubble runs a test on a clock of its own, where waiting costs nothing and nothing is late. Such tests
// do not run in parallel: the connection library pools channels for the whole process, and a channel
// must not leave its bubble. Two collections empty every sync.Pool.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	emptyPools()
	defer emptyPools()
	synctest.Test(t, test)
}

func emptyPools() {
	runtime.GC()
	runtime.GC()
}

func decodeParams[P any](t *testing.T, raw []byte) *P {
	t.Helper()
	p := new(P)
	require.NoError(t, protocol.Unmarshal(raw, p))
	return p
}

// startWithout starts a session without an engine and without a folder.
func startWithout(t *testing.T) *harness {
	t.Helper()
	d := &harness{Editor: lsptest.Start(t, lsp.Options{}), t: t}
	d.Initialize(nil)
	return d
}

// progressKinds are the kinds of the progress that came so far.
func progressKinds(t *testing.T, d *harness) []string {
	t.Helper()
	kinds := []string{}
	for _, m := range d.Messages() {
		if m.Method != protocol.MethodProgress {
			continue
		}
		var value struct {
			Kind string `json:"kind"`
		}
		require.NoError(t, protocol.Unmarshal(decodeParams[protocol.ProgressParams](t, m.Params).Value, &value))
		kinds = append(kinds, value.Kind)
	}
	return kinds
}

// applyEdit is the editor's own way of applying an edit.
func (d *harness) applyEdit() lsptest.Answer { return d.Answering(protocol.MethodWorkspaceApplyEdit) }

// pause lets the bubble's clock run, which costs nothing.
func pause(milliseconds int) {
	time.Sleep(time.Duration(milliseconds) * time.Millisecond) //nolint:forbidigo // in a bubble of testing/synctest
}

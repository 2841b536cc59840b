package lsp_test

import (
	"context"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/lsp"
	"forge/lsp/lsptest"
	"forge/patch"
)

// The client's setting is the mode of runs that name none, as a suggestion: a folder may have written it.
func TestMode_TheModeOfTheClient(t *testing.T) {
	for name, c := range map[string]struct {
		settings string // of forge.mode
		named    string // by the command
		want     engine.Request
	}{
		"nothing":              {`null`, "", engine.Request{}},
		"the setting":          {`"heavy"`, "", engine.Request{Mode: "heavy", Suggested: true}},
		"the command":          {`"heavy"`, "fast", engine.Request{Mode: "fast"}},
		"no such mode":         {`"turbo"`, "", engine.Request{}},
		"no mode at all":       {`7`, "", engine.Request{}},
		"the command, nothing": {`""`, "debug", engine.Request{Mode: "debug"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				took := &configured{more: make(chan struct{}, 10)}
				e := &fakeEngine{script: checking(event.Succeeded)}
				t.Cleanup(e.running.Wait)
				parts, shown := e.parts(), &previews{}
				parts.Prompts = shown
				d := &harness{t: t, engine: e, root: t.TempDir(), Editor: lsptest.Start(t, lsp.Options{Engine: parts, Configure: took.take})}
				d.Handle(protocol.MethodWorkspaceConfiguration, func([]byte) (any, error) {
					return []protocol.LSPAny{protocol.LSPAny("null"), protocol.LSPAny(c.settings)}, nil
				})
				d.Initialize(func(p *protocol.InitializeParams) {
					yes := true
					p.Capabilities.Workspace.Configuration = &yes
					p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(d.root), Name: "w"}})
				})
				took.last()
				synctest.Wait()
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Mode: c.named, Profile: "tooluse"}, nil))
				got := d.engine.started()[0]
				require.Equal(t, c.want.Mode, got.Mode)
				require.Equal(t, c.want.Suggested, got.Suggested)
				require.Equal(t, "tooluse", got.Profile)

				require.NoError(t, d.execute(api.Context, api.ContextArgs{Text: "x", Node: "executor"}, nil))
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
				run := d.engine.started()[1]
				require.Equal(t, []string{run.Mode, run.Recipe}, []string{shown.asked.Mode, shown.asked.Recipe}, "the prompt is that of a run")
				require.Equal(t, run.Suggested, shown.asked.Suggested)
			})
		})
	}
}

// undecided starts a session with a client that answers each question about its settings when answer does.
func undecided(t *testing.T, answer func() (mode string)) *harness {
	t.Helper()
	e := &fakeEngine{script: checking(event.Succeeded)}
	t.Cleanup(e.running.Wait)
	d := &harness{t: t, engine: e, root: t.TempDir(), Editor: lsptest.Start(t, lsp.Options{Engine: e.parts(), Configure: func(api.ModelSettings) {}})}
	d.Handle(protocol.MethodWorkspaceConfiguration, func([]byte) (any, error) {
		return []protocol.LSPAny{protocol.LSPAny("null"), protocol.LSPAny(strconv.Quote(answer()))}, nil
	})
	d.Initialize(func(p *protocol.InitializeParams) {
		yes := true
		p.Capabilities.Workspace.Configuration = &yes
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(d.root), Name: "w"}})
	})
	return d
}

// A run that is asked for before the client has answered with its settings has them all the same, and works on the texts as they
// were when it was asked for.
func TestMode_OfARunThatComesBeforeTheSettings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		answer := make(chan string)
		d := undecided(t, func() string { return <-answer })
		file := uri.File(filepath.Join(d.root, "a.go"))
		d.Open(file, "go", "package a\n")
		id := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Run, api.RunArgs{Task: "x"}))
		synctest.Wait()
		require.Empty(t, d.engine.started())
		d.Edit(file, protocol.TextEdit{NewText: "// later\n"})
		synctest.Wait()
		answer <- "fast"
		require.NoError(t, d.Await(id, nil))
		request := d.engine.started()[0]
		require.Equal(t, "fast", request.Mode)
		require.Equal(t, "package a\n", request.Snapshot.Unsaved["a.go"].Text)
	})
}

// A client that never answers delays commands for two seconds, once.
func TestMode_OfAClientThatDoesNotAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		never := make(chan string)
		defer close(never)
		d := undecided(t, func() string { return <-never })
		begun := time.Now()
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "y"}, nil))
		require.Equal(t, 2*time.Second, time.Since(begun))
	})
}

// A command that its client cancels while it waits for the settings starts no run; a cancel that names no run means
// the one that is being started.
func TestMode_ARunThatIsCancelledBeforeTheSettings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		answer := make(chan string)
		d := undecided(t, func() string { return <-answer })
		id := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Run, api.RunArgs{Task: "x"}))
		synctest.Wait()
		d.Cancel(id)
		require.Error(t, d.Await(id, nil))

		first := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Run, api.RunArgs{Task: "y"}))
		synctest.Wait()
		cancel := d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Cancel, api.RunRef{}))
		synctest.Wait()
		answer <- "fast"
		var run, cancelled api.RunResult
		require.NoError(t, d.Await(first, &run))
		require.NoError(t, d.Await(cancel, &cancelled))
		require.Equal(t, run.RunID, cancelled.RunID)
		require.Len(t, d.engine.started(), 1)
		require.Equal(t, "y", d.engine.started()[0].Task)
	})
}

// Of two answers that overlap, that to the later question stays in effect.
func TestMode_OfTheLaterOfTwoAnswers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		earlier, asked := make(chan string), atomic.Int32{}
		d := undecided(t, func() string {
			if asked.Add(1) == 1 {
				return <-earlier
			}
			return "heavy"
		})
		synctest.Wait()
		d.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")})
		synctest.Wait()
		earlier <- "fast"
		synctest.Wait()
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		require.Equal(t, "heavy", d.engine.started()[0].Mode)
	})
}

// previews records the run whose prompt was asked for.
type previews struct {
	service.Prompts
	asked engine.Request
}

func (p *previews) Preview(_ context.Context, r engine.Request, _ string, _ patch.ChangeSet) (execution.Preview, error) {
	p.asked = r
	return execution.Preview{}, nil
}

// The prompt of a node is that of the run which forge.run would start, and no argument is ignored.
func TestContext_OfANodeIsOfTheRunOfTheClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		took := &configured{more: make(chan struct{}, 10)}
		e := &fakeEngine{script: checking(event.Succeeded)}
		parts, shown := e.parts(), &previews{}
		parts.Prompts = shown
		d := &harness{t: t, engine: e, root: t.TempDir(), Editor: lsptest.Start(t, lsp.Options{Engine: parts, Configure: took.take})}
		d.Initialize(func(p *protocol.InitializeParams) {
			p.Capabilities.Workspace.Configuration = nil
			p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(d.root), Name: "w"}})
		})
		d.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny(`{"forge":{"domain":"research"}}`)})
		took.last()
		require.NoError(t, d.execute(api.Context, api.ContextArgs{Text: "x", Node: "answer", Recipe: "explain"}, nil))
		require.Equal(t, []string{"research", "ask"}, []string{shown.asked.Domain, shown.asked.Recipe})

		require.ErrorContains(t, d.execute(api.Context, api.ContextArgs{Text: "x", Node: "answer", Budget: 100}, nil), "budget: a node has the budget of its model")
		require.ErrorContains(t, d.execute(api.Context, api.ContextArgs{Text: "x", Recipe: "fix"}, nil), "recipe: is that of the run of a node")
	})
}

// A client that cannot be asked sends its settings with the notification.
func TestMode_IsSentToTheEngine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		took := &configured{more: make(chan struct{}, 10)}
		e := &fakeEngine{script: checking(event.Succeeded)}
		t.Cleanup(e.running.Wait)
		d := &harness{t: t, engine: e, root: t.TempDir(), Editor: lsptest.Start(t, lsp.Options{Engine: e.parts(), Configure: took.take})}
		d.Initialize(func(p *protocol.InitializeParams) {
			p.Capabilities.Workspace.Configuration = nil
			p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(d.root), Name: "w"}})
		})
		d.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny(`{"forge":{"mode":"plan","domain":"research"}}`)})
		took.last()
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		require.Equal(t, "plan", d.engine.started()[0].Mode)
		require.Equal(t, "research", d.engine.started()[0].Domain)

		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Domain: "generic"}, nil))
		require.Equal(t, "generic", d.engine.started()[1].Domain, "what the command says comes first")
	})
}

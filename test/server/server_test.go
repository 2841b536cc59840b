// Package server drives the whole language server with the real engine inside: real git, the real Go
// toolchain and a scripted model, with a fake editor in front.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/codeintel"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/internal/testkit"
	"forge/lsp"
	"forge/lsp/lsptest"
)

// The workspace of every test: a module with one tested function.
var module = map[string]string{
	"go.mod":      "module example.com/sum\n\ngo 1.24\n",
	"sum.go":      "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n",
	"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error(\"Add\")\n\t}\n}\n",
}

// harness is an editor with a folder open, and the server behind it.
type harness struct {
	*lsptest.Editor
	t      *testing.T
	root   string
	state  string // Forge's own folder
	engine *engine.Engine
	script *llmtest.Script
	offers protocol.ServerCapabilities
}

// setting is what a test changes of the session.
type setting struct {
	outliner codeintel.Outliner // nil: no symbols are known
	after    *harness           // an earlier session, whose folder and state this one has; nil is a new folder
	script   string             // entries; see llmtest
	settings engine.Settings
	environ  []string
	model    func(context.Context) (llm.Model, error)
	params   func(*protocol.InitializeParams)
	answer   func(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem // nil takes the first choice
}

func start(t *testing.T, s setting) *harness {
	t.Helper()
	d := &harness{t: t}
	if s.after != nil {
		d.root, d.state = s.after.root, s.after.state
	} else {
		d.lay()
	}
	if s.script == "" {
		s.script = small
	}
	var err error
	d.script, err = llmtest.Parse(t.Name(), []byte("entries:\n"+s.script))
	require.NoError(t, err)
	if s.model == nil {
		s.model = func(context.Context) (llm.Model, error) { return d.script.Model(), nil }
	}
	if s.environ == nil {
		s.environ = os.Environ()
	}
	d.engine = engine.New(engine.Options{StateDir: d.state, Outliner: s.outliner, Chooser: llm.OnlyFrom(s.model), Environ: s.environ,
		Settings: func(context.Context, string) engine.Settings { return s.settings },
	})
	t.Cleanup(d.engine.Close)
	d.Editor = lsptest.Start(t, lsp.Options{Engine: lsp.EngineOf(d.engine), Version: "test"})
	d.Handle(protocol.MethodWindowShowMessageRequest, func(params []byte) (any, error) {
		var q protocol.ShowMessageRequestParams
		if err := protocol.Unmarshal(params, &q); err != nil {
			return nil, err
		}
		if s.answer != nil {
			return s.answer(q), nil
		}
		return &q.Actions[0], nil
	})
	d.offers = d.Initialize(func(p *protocol.InitializeParams) {
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: d.uri(""), Name: "sum"}})
		if s.params != nil {
			s.params(p)
		}
	}).Capabilities
	return d
}

// lay makes the folder and the state of the first session.
func (d *harness) lay() {
	d.t.Helper()
	d.root, d.state = filepath.Join(d.t.TempDir(), "sum"), d.t.TempDir()
	require.NoError(d.t, os.Mkdir(d.root, 0o755))
	for name, text := range module {
		require.NoError(d.t, os.WriteFile(filepath.Join(d.root, name), []byte(text), 0o644))
	}
}

func (d *harness) uri(name string) uri.URI { return uri.File(filepath.Join(d.root, name)) }

// run starts a run and waits for its end.
func (d *harness) run(args api.RunArgs) (api.RunResult, error) {
	args.Wait = true
	var result api.RunResult
	err := d.execute(api.Run, args, &result)
	return result, err
}

func (d *harness) execute(name string, args, result any) error {
	d.t.Helper()
	data, err := json.Marshal(args)
	require.NoError(d.t, err)
	return d.Request(protocol.MethodWorkspaceExecuteCommand, jsonrpc2.RawMessage(`{"command":"`+name+`","arguments":[`+string(data)+`]}`), result)
}

// disk is what the folder holds.
func (d *harness) disk() map[string]string {
	d.t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(d.root)
	require.NoError(d.t, err)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(d.root, entry.Name()))
		require.NoError(d.t, err)
		found[entry.Name()] = string(data)
	}
	return found
}

// alive demands that the server still answers.
func (d *harness) alive() {
	d.t.Helper()
	var status api.StatusResult
	require.NoError(d.t, d.execute(api.Status, api.NoArgs{}, &status))
	require.Equal(d.t, "test", status.Version)
}

// only is an environment whose PATH holds nothing but the named programs.
func only(t *testing.T, programs ...string) []string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	return append(os.Environ(), "PATH="+dir)
}

const (
	small = `
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small}}}`
	nonsense = `
- {match: {node: orchestrator}, reply: {text: "Certainly! I would love to help."}, times: 9}`
)

// Whatever is missing or broken, the run ends with a message that says so, the folder is as it was, and
// the rest of the server is alive.
func TestServer_FailedRunReportsTheReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setting func(t *testing.T) setting
		spoil   func(t *testing.T, d *harness)
		state   string
		reason  string
		remedy  event.Remedy
	}{
		"no git":         {setting: func(t *testing.T) setting { return setting{environ: only(t, "go")} }, state: "blocked", reason: "git"},
		"no Go":          {setting: withoutGo, state: "blocked", reason: "stopped before a model was called: go build, go test cannot run: go is not installed"},
		"no model":       {setting: noModel, state: "blocked", reason: "set OPENAI_API_KEY", remedy: event.RemedyModel},
		"no key":         {setting: noKey, state: "blocked", reason: "setup openai", remedy: event.RemedyKey},
		"a rejected key": {setting: failing(`{kind: status, status: 401}`), state: "blocked", reason: "401", remedy: event.RemedyKey},
		"a wrong model":  {setting: failing(`{kind: no-model}`), state: "blocked", reason: "scripted", remedy: event.RemedyModel},
		"a refusal":      {setting: failing(`{kind: filter}`), state: "blocked", reason: "Word the task differently", remedy: event.RemedyTask},
		"nonsense":       {setting: func(*testing.T) setting { return setting{script: nonsense} }, state: "blocked", reason: "holds no JSON object", remedy: event.RemedyModel},
		"not trusted":    {setting: func(*testing.T) setting { return setting{answer: refuse} }, state: "cancelled", reason: "not trusted", remedy: event.RemedyTrust},
		"not answered":   {setting: func(*testing.T) setting { return setting{answer: dismiss} }, state: "blocked", reason: "the folder is not trusted", remedy: event.RemedyTrust},
		"folder is gone": {spoil: gone, setting: func(*testing.T) setting { return setting{} }, state: "blocked", reason: "no such"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, c.setting(t))
			if c.spoil != nil {
				c.spoil(t, d)
			}
			before := map[string]string{}
			if _, err := os.Stat(d.root); err == nil {
				before = d.disk()
			}
			result, err := d.run(api.RunArgs{Task: "add Sub"})
			require.NoError(t, err)
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			require.Equal(t, c.remedy, result.Remedy, result.Reason)
			require.Empty(t, result.ProposalID)
			if len(before) > 0 {
				require.Equal(t, before, d.disk())
			}
			d.alive()
		})
	}
}

func withoutGo(t *testing.T) setting {
	return setting{environ: only(t, "git"), script: small, answer: choosing("Trust and run", "Stop")}
}

func noModel(*testing.T) setting {
	return setting{model: func(context.Context) (llm.Model, error) {
		return nil, errors.New("there is no model to ask: set OPENAI_API_KEY")
	}}
}

func noKey(*testing.T) setting {
	return setting{model: func(context.Context) (llm.Model, error) {
		return nil, event.NewRemedied(event.RemedyKey, "there is no key: forge setup openai")
	}}
}

// failing is a session whose model fails in this way.
func failing(fault string) func(*testing.T) setting {
	return func(*testing.T) setting {
		return setting{script: "\n- {match: {node: orchestrator}, times: 99, fault: " + fault + "}"}
	}
}

func refuse(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem { return &q.Actions[1] }

func dismiss(protocol.ShowMessageRequestParams) *protocol.MessageActionItem { return nil }

func gone(t *testing.T, d *harness) {
	t.Helper()
	require.NoError(t, os.RemoveAll(d.root))
}

// An error that answers a command has what helps in its data.
func TestServer_ErrorsHaveTheirRemedyInTheirData(t *testing.T) {
	t.Parallel()
	d := start(t, setting{answer: dismiss})
	for name, c := range map[string]struct {
		command string
		args    any
		data    string
	}{
		"not trusted": {api.Validate, api.ValidateArgs{}, `{"remedy":"trust"}`},
		"no run":      {api.Cancel, map[string]any{"runId": "r-none"}, ""},
	} {
		wire, is := errors.AsType[*jsonrpc2.Error](d.execute(c.command, c.args, nil))
		require.True(t, is, name)
		require.Equal(t, c.data, string(wire.Data), name)
	}
}

// Arguments that cannot be understood are refused by name, with what would be allowed.
func TestServer_NamesInvalidArguments(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	for name, c := range map[string]struct {
		command string
		args    any
		says    []string
	}{
		"unknown command": {"forge.rum", api.NoArgs{}, []string{"forge.rum", "forge.run"}},
		"unknown value":   {api.Run, map[string]any{"task": "x", "recipe": "magic"}, []string{"recipe", "implement", "refactor"}},
		"wrong type":      {api.Run, map[string]any{"task": 5}, []string{"task", "string"}},
		"no task":         {api.Run, map[string]any{}, []string{"Describe the task", "// forge:"}},
		"unknown run":     {api.Cancel, map[string]any{"runId": "r-none"}, []string{"no run"}},
		"no proposal":     {api.ShowProposal, map[string]any{"proposalId": "p-none"}, []string{"does not exist any more", "list of runs"}},
	} {
		err := d.execute(c.command, c.args, nil)
		var wire *jsonrpc2.Error
		require.ErrorAs(t, err, &wire, name)
		require.EqualValues(t, -32602, wire.Code, "%s: %s", name, wire.Message)
		for _, part := range c.says {
			require.Contains(t, wire.Message, part, name)
		}
	}
	d.alive()
}

func TestServer_RunNeedsOneFolder(t *testing.T) {
	t.Parallel()
	none := func(p *protocol.InitializeParams) {
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{})
	}
	two := func(p *protocol.InitializeParams) {
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: "file:///one", Name: "one"}, {URI: "file:///two", Name: "two"}})
	}
	for name, c := range map[string]struct {
		params func(*protocol.InitializeParams)
		says   string
	}{"none": {none, "folder"}, "two": {two, "file:///one"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, setting{params: c.params})
			_, err := d.run(api.RunArgs{Task: "x"})
			require.ErrorContains(t, err, c.says)
			d.alive()
		})
	}
}

// subTests is the reply that writes tests for Sub.
const subTests = `
- match: {node: executor, contains: [You write tests]}
  reply:
    json:
      explanation: t
      files:
        - path: sub_test.go
          action: create
          content: "package sum\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 {\n\t\tt.Error(\"Sub\")\n\t}\n}\n"
      patch: ""
      blocked: ""
`

const subtract = small + subTests + `- match: {node: executor, contains: [You implement a change, "func negate("]}
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
        +func Sub(a, b int) int { return Add(a, negate(b)) }
        *** End Patch
      blocked: ""
- {match: {node: review, contains: ["+| func Sub"]}, reply: {json: {pass: true, reason: good, issues: []}}}
`

// The unsaved buffer is what the gates compile: the model's code calls a function that stands in it
// and nowhere on the disk. What is typed after the run is kept, and a change of the same lines is a
// conflict that is shown and never overwritten.
func TestServer_UnsavedTextIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	unsaved := module["sum.go"] + "\nfunc negate(a int) int { return -a }\n"
	for name, c := range testkit.SampleMap(1, map[string]struct {
		typed string // sum.go at the time of accepting
		state string
		has   []string
	}{
		"nothing typed": {unsaved, "applied", []string{"func negate", "func Sub"}},
		"elsewhere":     {"// A comment.\n" + unsaved, "applied", []string{"// A comment.\n", "func negate", "func Sub"}},
		"the same lines": {
			strings.Replace(unsaved, "{ return a + b }\n\n", "{ return b + a } // mine\n// mine, too\n", 1), "conflict", []string{"// mine", "func negate"},
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, setting{script: subtract, answer: func(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem {
				if strings.Contains(q.Message, "trust") {
					return &q.Actions[0]
				}
				return nil // the proposal is accepted below, by command
			}})
			d.Open(d.uri("sum.go"), "go", unsaved)
			result, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
			require.NoError(t, err)
			require.Equal(t, "succeeded", result.State, result.Reason)
			require.NoError(t, d.script.Verify())
			require.Equal(t, module, d.disk(), "nothing is written before consent")

			end := protocol.Position{Line: uint32(strings.Count(unsaved, "\n"))}
			d.Edit(d.uri("sum.go"), protocol.TextEdit{Range: protocol.Range{End: end}, NewText: c.typed})
			var applied api.ApplyResult
			require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: &api.Select{Files: []string{"sum.go"}}}, &applied))
			require.Len(t, applied.Files, 1)
			require.Equal(t, c.state, applied.Files[0].State)
			text := d.Text(d.uri("sum.go"))
			for _, part := range c.has {
				require.Contains(t, text, part)
			}
			if c.state == "conflict" {
				require.Equal(t, c.typed, text, "not a byte of what was typed is touched")
			}
			require.Equal(t, module["sum.go"], d.disk()["sum.go"], "applied is not saved")
		})
	}
}

const firstPackage = small + subTests + `- match: {node: executor, contains: [You implement a change]}
  reply:
    json:
      explanation: i
      files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}]
      patch: ""
      blocked: ""
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`

// A module that has nothing but its go.mod is a beginning, not a fault: the run makes its first package.
func TestServer_RunCreatesTheFirstPackage(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: firstPackage})
	for _, name := range []string{"sum.go", "sum_test.go"} {
		require.NoError(t, os.Remove(filepath.Join(d.root, name)))
	}
	result, err := d.run(api.RunArgs{Task: "add Sub", Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "succeeded", result.State, result.Reason)
	require.NoError(t, d.script.Verify())
}

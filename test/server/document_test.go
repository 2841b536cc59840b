package server

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/memory"
)

// showing is a client that shows documents; taking also takes their content from the server.
func showing(p *protocol.InitializeParams) {
	p.Capabilities.Window.ShowDocument = &protocol.ShowDocumentClientCapabilities{Support: true}
}

func taking(p *protocol.InitializeParams) {
	showing(p)
	p.Capabilities.Workspace.TextDocumentContent = &protocol.TextDocumentContentClientCapabilities{}
}

// specify keeps versions of the specification of the folder.
func (d *harness) specify(texts ...string) {
	d.t.Helper()
	m, err := d.engine.Memory(d.t.Context(), d.root)
	require.NoError(d.t, err)
	for _, text := range texts {
		_, err := m.SaveSpec(d.t.Context(), memory.Spec{Text: text, Source: memory.Source{Origin: memory.User}})
		require.NoError(d.t, err)
	}
}

// content asks for the content of a document.
func (d *harness) content(address string) (string, error) {
	d.t.Helper()
	var result protocol.TextDocumentContentResult
	err := d.Request(protocol.MethodWorkspaceTextDocumentContent, &protocol.TextDocumentContentParams{URI: uri.URI(address)}, &result)
	return result.Text, err
}

// A client that takes the content of documents from the server reads every version of a specification, and what has changed.
func TestDocuments_ServeEveryVersionOfASpecification(t *testing.T) {
	t.Parallel()
	d := start(t, setting{params: taking})
	offer, err := protocol.Marshal(d.offers.Workspace.TextDocumentContent)
	require.NoError(t, err)
	require.JSONEq(t, `{"schemes":["forge"]}`, string(offer))
	_, err = d.content("forge://spec/latest")
	require.ErrorContains(t, err, "has no specification yet. Generate one first.")
	d.specify("# One\n", "# Two\n", "# Two\n")
	for address, want := range map[string]string{
		"forge://spec/1":         "# One\n",
		"forge://spec/2":         "# Two\n",
		"forge://spec/latest":    "# Two\n",
		"forge://spec/1..2":      "diff --git a/spec.md b/spec.md\n--- a/spec.md\n+++ b/spec.md\n@@ -1 +1 @@\n-# One\n+# Two\n",
		"forge://spec/2..latest": "Versions 2 and 3 read the same.\n",
	} {
		got, err := d.content(address)
		require.NoError(t, err, address)
		require.Equal(t, want, got, address)
	}
	_, err = d.content("forge://spec/9")
	require.ErrorContains(t, err, "has no such version. The latest is 3")
}

// Whatever a URI says, it is a document or a clear error: nothing outside of Forge's own documents is read, nor does a name reach out
// of its place.
func TestDocuments_InvalidURIsFail(t *testing.T) {
	t.Parallel()
	d := start(t, setting{params: taking})
	d.specify("# One\n")
	for _, address := range []string{
		"", "forge:", "forge://", "forge://spec", "forge://spec/", "forge://spec/0", "forge://spec/01", "forge://spec/-1", "forge://spec/+1",
		"forge://spec/1/", "forge://spec/one", "forge://spec/99999999999999999999", "forge://spec/1..", "forge://spec/..", "forge://spec/../1",
		"forge://spec/1#x", "forge://spec/1%2F..", "forge://specs/1", "FORGE://spec/1", "forge:///spec/1", "forge://prompt/", "forge://prompt/executor",
		"forge://prompt/0123456789abcdeg", "forge://prompt/../../etc/passwd", "forge://prompt/r-1/executor", "forge://prompt/r-1/executor/0",
		"forge://prompt/r-1/../1", "forge://prompt/r-1/part/executor/1/2", "forge://prompt/r-1/part/../1", "file:///etc/passwd", "https://example.com/spec/1", "forge://spec/1\n",
		"forge://spec/1?folder=file:///elsewhere", "forge://prompt/0123456789abcdef", "forge://prompt/r-1/executor/1",
		strings.Repeat("forge://spec/1", 1000),
	} {
		_, err := d.content(address)
		var wire *jsonrpc2.Error
		require.ErrorAs(t, err, &wire, address)
		require.EqualValues(t, -32602, wire.Code, "%s: %s", address, wire.Message)
		require.ErrorAs(t, d.execute(api.ShowDocument, api.ShowDocumentArgs{URI: address}, nil), &wire, address)
	}
	d.alive()
}

// With several open folders a document's URI names one, whether the client escapes the equals sign or not.
func TestDocuments_NameOneOfSeveralFolders(t *testing.T) {
	t.Parallel()
	other := uri.File(t.TempDir())
	d := start(t, setting{params: func(p *protocol.InitializeParams) {
		taking(p)
		folders, _ := p.WorkspaceFolders.Get()
		p.WorkspaceFolders = protocol.NewNullable(append(folders, protocol.WorkspaceFolder{URI: other, Name: "other"}))
	}})
	d.specify("# One\n")
	_, err := d.content("forge://spec/1")
	require.ErrorContains(t, err, "Several folders are open")
	for _, query := range []string{"folder=" + string(d.uri("")), "folder=" + url.QueryEscape(string(d.uri(""))), url.QueryEscape("folder=" + string(d.uri("")))} {
		got, err := d.content("forge://spec/1?" + query)
		require.NoError(t, err, query)
		require.Equal(t, "# One\n", got)
	}
	_, err = d.content("forge://spec/1?folder=" + string(other))
	require.ErrorContains(t, err, "has no specification yet")
}

// The next prompt of a node is a document with current content; a prompt that was sent in a run stays as it was.
func TestDocuments_ServePrompts(t *testing.T) {
	t.Parallel()
	d := start(t, setting{params: taking, script: "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}"})
	require.NoError(t, d.engine.Trust(d.root))
	d.Open(d.uri("AGENTS.md"), "markdown", "Use tabs.\n")
	shown := ask[api.ContextResult](d, api.Context, api.ContextArgs{Text: "add Sub", Node: "orchestrator"})
	require.Equal(t, "forge://prompt/"+shown.Prompt.Hash, shown.Prompt.URI)
	text, err := d.content(shown.Prompt.URI)
	require.NoError(t, err)
	require.Equal(t, shown.Prompt.Document(), text)
	require.Contains(t, text, "Use tabs.")
	require.Empty(t, d.script.Requests(), "no model was asked")

	run, err := d.run(api.RunArgs{Task: "add Sub"})
	require.NoError(t, err)
	d.Close(d.uri("AGENTS.md"))
	text, err = d.content(shown.Prompt.URI)
	require.NoError(t, err)
	require.NotContains(t, text, "Use tabs.", "it is composed again")
	text, err = d.content("forge://prompt/" + run.RunID + "/orchestrator/1")
	require.NoError(t, err)
	for _, m := range d.script.Requests()[0].Messages {
		require.Contains(t, text, "────\n"+m.Text+"\n")
	}
	for _, s := range shown.Prompt.Sections {
		require.Contains(t, text, fmt.Sprintf("%7d  %-12s %s", s.Tokens, s.Kind, s.Name))
	}
	_, err = d.content("forge://prompt/" + run.RunID + "/executor/1")
	require.ErrorContains(t, err, "no model was asked there: there is orchestrator/1")
}

// A client sees a document itself if it takes its content from the server, and else a file that only the user can read and that is
// removed with the server.
func TestDocuments_FallBackToAPrivateFile(t *testing.T) {
	t.Parallel()
	show := func(t *testing.T, params func(*protocol.InitializeParams), shows bool) (d *harness, at string) {
		d = start(t, setting{params: params})
		d.specify("# One\n", "# Two\n")
		d.Handle(protocol.MethodWindowShowDocument, func([]byte) (any, error) { return &protocol.ShowDocumentResult{Success: shows}, nil })
		return d, ask[api.ShowDocumentResult](d, api.ShowDocument, api.ShowDocumentArgs{URI: "forge://spec/1"}).URI
	}
	asked := func(d *harness) string {
		var p protocol.ShowDocumentParams
		require.NoError(d.t, protocol.Unmarshal(d.Expect(protocol.MethodWindowShowDocument, nil), &p))
		return string(p.URI)
	}
	t.Run("taking", func(t *testing.T) {
		t.Parallel()
		d, at := show(t, taking, true)
		require.Equal(t, "forge://spec/1", at)
		require.Equal(t, at, asked(d))
	})
	t.Run("showing", func(t *testing.T) {
		t.Parallel()
		d, at := show(t, showing, true)
		require.Equal(t, at, asked(d))
		path := uri.URI(at).FsPath()
		require.Equal(t, "spec-1.md", filepath.Base(path))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "# One\n", string(text))
		for p, mode := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700} {
			info, err := os.Stat(p)
			require.NoError(t, err)
			require.Equal(t, mode, info.Mode().Perm(), p)
		}
		again := ask[api.ShowDocumentResult](d, api.ShowDocument, api.ShowDocumentArgs{URI: "forge://spec/1"}).URI
		require.Equal(t, at, again, "one document is one file")
		other := ask[api.ShowDocumentResult](d, api.ShowDocument, api.ShowDocumentArgs{URI: "forge://spec/1..2"}).URI
		require.NotEqual(t, at, other)
		require.Zero(t, d.Shutdown())
		require.NoDirExists(t, filepath.Dir(filepath.Dir(path)))
	})
	for name, c := range map[string]struct {
		params func(*protocol.InitializeParams)
		shows  bool
	}{"told": {nil, true}, "told, for it could not be shown": {showing, false}, "told, for neither could": {taking, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, at := show(t, c.params, c.shows)
			require.Contains(t, string(d.Expect(protocol.MethodWindowShowMessage, nil)),
				"Forge: the specification, version 1 is in "+uri.URI(at).FsPath())
		})
	}
}

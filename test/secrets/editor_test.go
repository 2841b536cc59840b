package secrets

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/lsp/lsptest"
)

// editor starts the server with an editor in front, whose person agrees to everything.
func (w *world) editor(more ...string) *lsptest.Editor {
	t := w.t
	c := w.command(more, "lsp")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, server, err := os.Pipe()
	require.NoError(t, err)
	c.Stdout = server
	log, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	c.Stderr = log
	require.NoError(t, c.Start())
	require.NoError(t, server.Close())
	e := lsptest.Connect(t, out, in, func() int {
		_ = c.Wait() // the code says it
		written, err := os.ReadFile(log.Name())
		require.NoError(t, err)
		w.heard("the server's log", string(written))
		return c.ProcessState.ExitCode()
	})
	t.Cleanup(func() { _ = log.Close() })
	e.Handle(protocol.MethodWindowShowMessageRequest, func(params []byte) (any, error) {
		var q protocol.ShowMessageRequestParams
		if err := protocol.Unmarshal(params, &q); err != nil {
			return nil, err
		}
		w.heard("a question to the user", string(params))
		if slices.ContainsFunc(q.Actions, func(a protocol.MessageActionItem) bool { return a.Title == "Reject" }) {
			return nil, nil // what is proposed is accepted by a request, and by nothing else at the same time
		}
		return &q.Actions[0], nil
	})
	e.Initialize(func(p *protocol.InitializeParams) {
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(w.root), Name: "pay"}})
	})
	return e
}

// TestCanaries_EditorRunLeaksNone has a run in an editor, with a secret in a buffer that is not saved, and in what a diagnostic says.
func TestCanaries_EditorRunLeaksNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, forge, script)
	typed := canary{name: "typed", value: "ghp_" + token(36)}
	w.canaries = append(w.canaries, typed)
	e := w.editor()
	file := uri.File(filepath.Join(w.root, "pay.go"))
	text := w.folder["pay.go"] + "\nconst typed = \"" + typed.value + "\"\n"
	e.Open(file, "go", text)
	args, err := json.Marshal(api.RunArgs{Task: "add a refund, not " + typed.value, Approve: "plan+edits", Wait: true})
	require.NoError(t, err)
	var run api.RunResult
	require.NoError(t, e.Request(protocol.MethodWorkspaceExecuteCommand, jsonrpc2.RawMessage(`{"command":"`+api.Run+`","arguments":[`+string(args)+`]}`), &run))
	require.Equal(t, "succeeded", run.State, run.Reason)
	require.NoError(t, e.Request(protocol.MethodWorkspaceExecuteCommand,
		jsonrpc2.RawMessage(`{"command":"`+api.ApplyProposal+`","arguments":[{"proposalId":"`+run.ProposalID+`"}]}`), nil))
	require.Contains(t, e.Text(file), "func Refund(cents int) int")
	require.Contains(t, e.Text(file), typed.value, "the user's text is there")
	for i, m := range e.Messages() {
		if m.Method == protocol.MethodWorkspaceApplyEdit {
			continue // the user's own text, on its way into their own buffer
		}
		w.heard(fmt.Sprintf("message %d, %s", i, m.Method), string(m.Params))
	}
	require.Zero(t, e.Shutdown())
	require.Empty(t, table(w.found()))
}

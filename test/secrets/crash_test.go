package secrets

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/internal/testkit"
)

// broken has the program panic at a place, saying all of the canaries that have one line: but one that is known by what stands
// beside it alone, and where a run starts, before anything of its folder was read, those of the folder.
func (w *world) broken(place string) (environ []string) {
	text := "boom:"
	for i, c := range w.canaries {
		if inFolder := i < w.inFolder; len(c.lines) == 0 && c.name != "AWS key" && !(inFolder && place == "run.starting") {
			text += " " + c.value
		}
	}
	return []string{"FORGE_FAILPOINT=" + place + ":1:" + text}
}

// output is what the program has said on stderr so far.
func (w *world) output() string {
	var b strings.Builder
	for _, s := range w.said {
		if strings.Contains(s.what, "stderr") || strings.Contains(s.what, "log") {
			b.WriteString(s.text)
		}
	}
	return b.String()
}

// A panic is printed without its secrets: one in a run's goroutine, after which the run can be resumed, and one in the main
// goroutine, which ends the program.
func TestPanic_OutputHasNoSecret(t *testing.T) {
	t.Parallel()
	for _, tt := range testkit.Sample(1, []struct {
		place string
		code  int
		state string
	}{
		{"run.starting", 4, ""},
		{"run.model.kept", 4, "interrupted"},
		{"run.gate.kept", 4, "interrupted"},
		{"apply.intent.before", 5, "succeeded"},
	}) {
		t.Run(tt.place, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, forge, script)
			code, out := w.runWith(w.broken(tt.place), "run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund")
			require.Equal(t, tt.code, code, "%s\n%s", out, w.output())
			require.Contains(t, w.output(), "boom: [redacted: ")
			require.Contains(t, w.output(), "failpoint.Hit", "where it was")
			require.Empty(t, table(w.found()))
			if tt.state == "interrupted" {
				code, out = w.run("resume", "--yes", runOf(t, out))
				require.Zero(t, code, "%s\n%s", out, w.output())
				require.Contains(t, w.read("pay.go"), "func Refund(cents int) int")
			}
		})
	}
}

// The same with the redactor off: what is printed is looked at.
func TestPanic_ScanFindsTheSecretWithoutRedaction(t *testing.T) {
	t.Parallel()
	for _, place := range testkit.Sample(1, []string{"run.model.kept", "apply.intent.before"}) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, blind, script)
			w.runWith(w.broken(place), "run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund")
			found := look(w.canaries, "", w.output())
			require.Greater(t, len(found), 40, w.output())
		})
	}
}

// A panic in a handler costs a request, and one in a run that run; the server goes on and its log has no secret.
func TestPanic_InAnEditorHasNoSecret(t *testing.T) {
	t.Parallel()
	for _, tt := range testkit.Sample(1, []struct{ place, state string }{{"edit.sending", "succeeded"}, {"run.model.kept", "interrupted"}}) {
		t.Run(tt.place, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, forge, script)
			e := w.editor(w.broken(tt.place)...)
			e.Open(uri.File(filepath.Join(w.root, "pay.go")), "go", w.folder["pay.go"])
			args, err := json.Marshal(api.RunArgs{Task: "add a refund", Approve: "plan+edits", Wait: true})
			require.NoError(t, err)
			var run api.RunResult
			require.NoError(t, e.Request(protocol.MethodWorkspaceExecuteCommand, jsonrpc2.RawMessage(`{"command":"`+api.Run+`","arguments":[`+string(args)+`]}`), &run))
			require.Equal(t, tt.state, run.State, run.Reason)
			if tt.state == "succeeded" {
				err := e.Request(protocol.MethodWorkspaceExecuteCommand,
					jsonrpc2.RawMessage(`{"command":"`+api.ApplyProposal+`","arguments":[{"proposalId":"`+run.ProposalID+`"}]}`), nil)
				require.ErrorContains(t, err, "internal error in ")
			}
			require.NoError(t, e.Request(protocol.MethodWorkspaceExecuteCommand, jsonrpc2.RawMessage(`{"command":"`+api.Status+`","arguments":[]}`), nil), "it goes on")
			for _, m := range e.Messages() {
				w.heard(m.Method, string(m.Params))
			}
			require.Zero(t, e.Shutdown())
			require.Contains(t, w.output(), "boom: [redacted: ")
			require.Empty(t, table(w.found()))
		})
	}
}

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wantsToRun is a model that wants to start a command, and writes the file itself if it may not.
func wantsToRun(argv string) string {
	return decideExecutor + writeTests + `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It is generated., actions: [{tool: run_command, args: {argv: ` + argv + `}}]}}
- match: {node: executor, contains: ["Result of run_command"]}
  reply: {json: {explanation: It adds., files: [` + uglyAdd + `], done: true}}` + reviewPass
}

// auditLog is the file of the audit log of the only folder.
func (w *world) auditLog() string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.home, "projects", "*", "audit.jsonl"))
	require.NoError(w.t, err)
	require.Len(w.t, found, 1)
	return found[0]
}

// A critical command does not start with every flag that there is, although the user's settings name it; the refusal is in the audit log,
// and a log that was changed is found out.
func TestRun_CriticalCommandsAreBlockedAndRecorded(t *testing.T) {
	t.Parallel()
	w := scripted(t, wantsToRun(`[git, push, --force]`), sumModule())
	w.settings("tools: {commands: [[git]]}\n")
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--profile", "tooluse", "--mode", "heavy", "--allow-shell", "--skip-permissions", "add Add to package sum")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `"refused":"critical"`)
	code, stdout, stderr = w.run("audit", "--json")
	require.Zero(t, code, stderr)
	var audit struct {
		Rows []struct{ Tool, Call, Verdict, Layer, Code string }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &audit))
	last := audit.Rows[len(audit.Rows)-1]
	require.Equal(t, "run_command deny command critical", strings.Join([]string{last.Tool, last.Verdict, last.Layer, last.Code}, " "))
	require.Contains(t, last.Call, `["git","push","--force"]`)
	code, _, stderr = w.run("audit", "verify")
	require.Zero(t, code, stderr)

	data, err := os.ReadFile(w.auditLog())
	require.NoError(t, err)
	for why, text := range map[string]string{"the end of the log is missing; its last row was row 1": "", "it cannot be read": string(data[:len(data)-9])} {
		require.NoError(t, os.WriteFile(w.auditLog(), []byte(text), 0o600))
		code, _, stderr = w.run("audit", "verify")
		require.Equal(t, 1, code, stderr)
		require.Contains(t, stderr, why)
	}
	require.NoError(t, os.WriteFile(w.auditLog(), []byte(strings.Replace(string(data), `"deny"`, `"allow"`, 1)), 0o600))
	code, stdout, stderr = w.run("audit", "--json")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stdout, `"broken":"row `, "the rows before it are listed")
	code, _, stderr = w.run("audit", "verify")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "of the audit log does not fit: it was changed")
}

// With --non-interactive a question is a denial, which the model works around; the reason is for programs, too.
func TestRun_NonInteractiveDeniesWhatItWouldAsk(t *testing.T) {
	t.Parallel()
	w := scripted(t, wantsToRun(`[go, generate]`), generated())
	w.settings("tools: {commands: [[go, generate]]}\n")
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--non-interactive", "--profile", "tooluse", "add Add to package sum")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `"unanswered":[{"kind":"permit","code":"non_interactive"`)
	require.NotContains(t, stderr, "Let the model use")

	untrusted := scripted(t, whole, sumModule())
	code, stdout, stderr = untrusted.run("run", "--json", "--non-interactive", "add Add to package sum")
	require.Equal(t, 6, code, stderr)
	require.Contains(t, stdout, `"kind":"trust"`)
	code, _, stderr = untrusted.run("run", "--strict", "--allow-shell", "x")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "--strict asks about each tool")
}

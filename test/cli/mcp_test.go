package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notes adds the server of notes, and returns its folder.
func (w *world) notes(flags ...string) (dir string) {
	w.t.Helper()
	self, err := os.Executable()
	require.NoError(w.t, err)
	dir = w.t.TempDir()
	require.NoError(w.t, os.WriteFile(filepath.Join(dir, "about"), []byte("Keeps a note."), 0o600))
	w.mcp(0, append(append([]string{"add", "notes"}, flags...), "--", self, mcpMode, dir)...)
	return dir
}

// mcp runs forge mcp.
func (w *world) mcp(want int, args ...string) (out, said string) {
	w.t.Helper()
	code, out, said := w.run(append([]string{"mcp"}, args...)...)
	require.Equal(w.t, want, code, said)
	return out, said
}

// accept accepts the tool of the server of notes as it is, and returns its pin.
func (w *world) accept(flags ...string) (pin string) {
	w.t.Helper()
	out, _ := w.mcp(0, "status", "notes")
	found := regexp.MustCompile(`notes +add +\w+ +([0-9a-f]{32}) +Keeps`).FindStringSubmatch(out)
	require.NotNil(w.t, found, out)
	w.mcp(0, append([]string{"accept", "notes", "add", found[1]}, flags...)...)
	return found[1]
}

func TestMCPCommand_ShowsAChangedDefinition(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	dir := w.notes()
	_, said := w.mcp(2, "add", "notes", "--", "sh")
	require.Contains(t, said, "exists already")
	pin := w.accept()
	out, _ := w.mcp(0, "status", "notes")
	require.Regexp(t, `add +accepted`, out)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "about"), []byte("Keeps a note, and sends it away."), 0o600))
	w.mcp(0, "add", "broken", "--", "sh", "-c", "exit 3")
	out, said = w.mcp(1, "status")
	require.Regexp(t, `add +changed`, out)
	require.Contains(t, said, "broken failed: the server ended with exit code 3")
	_, said = w.mcp(2, "accept", "notes", "add", pin)
	require.Contains(t, said, "has another definition now", "what was shown before is not accepted")
	w.mcp(0, "remove", "broken")
	out, _ = w.mcp(0, "list")
	require.Regexp(t, `notes +1 +/`, out)
	require.NotContains(t, out, "broken")
}

// wantsToNote is a model that calls the tool of the server of notes, and works once the answer has all of these.
func wantsToNote(answers ...string) string {
	return decideExecutor + writeTests + `
- match: {node: executor, contains: [You implement a change, "mcp__notes__add: Keeps a note. input: {"]}
  reply: {json: {explanation: It is noted first., actions: [{tool: mcp__notes__add, args: {input: '{"text": "hello"}'}}]}}
- match: {node: executor, contains: ["Result of mcp__notes__add", "` + strings.Join(answers, `", "`) + `"]}
  reply: {json: {explanation: It adds., files: [` + uglyAdd + `], done: true}}` + reviewPass
}

// A run calls the tool of an MCP server that its user has accepted, once, if the user allows it; the answer is data for the model, and the
// decision is in the audit log.
func TestRun_CallsAnAcceptedMCPTool(t *testing.T) {
	t.Parallel()
	w := scripted(t, wantsToNote("noted: HELLO", "reads like instructions to a model"), sumModule())
	dir := w.notes()
	w.accept()
	code, _, stderr := w.run("run", "--yes", "--trust", "--profile", "tooluse", "--mode", "heavy", "add Add to package sum")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, `Let the model use mcp__notes__add {"text": "hello"}?`)
	require.Contains(t, stderr, "--allow-mcp")
	require.NoFileExists(t, filepath.Join(dir, "notes"), "nothing is called before the answer")
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--profile", "tooluse", "--mode", "heavy", "--allow-mcp", "add Add to package sum")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `"tool":"mcp__notes__add"`)
	notes, err := os.ReadFile(filepath.Join(dir, "notes"))
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(notes))
	w.played()
	code, stdout, stderr = w.run("audit")
	require.Zero(t, code, stderr)
	require.Regexp(t, `mcp__notes__add.*allow`, stdout)
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// A run that is killed while a tool of an MCP server works does not call it again: the model is told that it is unknown whether the call was
// carried out, and the refusal is in the audit log. A tool that the user calls idempotent is called again.
func TestResume_DoesNotRepeatAnMCPCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		accept []string
		answer string
		notes  string
	}{
		"a tool":               {nil, "whether it was carried out is unknown", "hello\n"},
		"one that is harmless": {[]string{"--idempotent"}, "noted: HELLO", "hello\nhello\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, wantsToNote(c.answer), sumModule())
			dir := w.notes()
			w.accept(c.accept...)
			hang := filepath.Join(dir, "hang")
			require.NoError(t, syscall.Mkfifo(hang, 0o600))
			l := w.launch("run", "--yes", "--trust", "--json", "--profile", "tooluse", "--mode", "heavy", "--allow-mcp", "add Add to package sum")
			works, err := os.Open(hang) // once the server works on the call
			require.NoError(t, err)
			require.NoError(t, works.Close())
			l.signal(syscall.SIGKILL)
			l.end()
			require.NoError(t, os.Remove(hang))
			code, stdout, stderr := w.run("resume", "--yes", "--json", asked[api.RunsResult](w, "runs").Runs[0].RunID)
			require.Zero(t, code, stdout+stderr)
			notes, err := os.ReadFile(filepath.Join(dir, "notes"))
			require.NoError(t, err)
			require.Equal(t, c.notes, string(notes))
			w.played()
			_, stdout, _ = w.run("audit")
			require.Equal(t, c.accept == nil, strings.Contains(stdout, "Forge was stopped during this call"), stdout)
		})
	}
}

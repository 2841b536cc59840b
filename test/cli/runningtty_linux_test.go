package cli

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A terminal shows which gate is running and for how long, and the line is gone once the gate has ended.
func TestRun_ATerminalShowsHowLongAGateRuns(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, map[string]string{"notes.txt": "buy milk\n"})
	flag := filepath.Join(t.TempDir(), "go")
	w.settings("gates: [{name: slow, argv: [sh, -c, \"test ! -e new.txt || until test -e " + flag + "; do sleep 0.1; done\"], checks: 1}]\nunguarded: [slow]\n") // its file is outside of the tree
	p := w.sit("run", "--trust", "--tool", "write_file", "--args", `{"path": "new.txt", "content": "buy bread\n"}`)
	p.sees("[forge] running: slow, ")
	require.NoError(t, os.WriteFile(flag, nil, 0o600))
	p.sees("\r\x1b[2K[forge]     ✓ slow")
	p.sees("Apply this change to new.txt?")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	require.Equal(t, "buy bread\n", w.read("new.txt"))
	w.played()
}

// Without a terminal, a line from time to time shows that a gate is still running.
func TestRun_ALineShowsHowLongAGateRunsWithoutATerminal(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, map[string]string{"notes.txt": "buy milk\n"})
	flag := filepath.Join(t.TempDir(), "go")
	w.settings("gates: [{name: slow, argv: [sh, -c, \"test ! -e new.txt || until test -e " + flag + "; do sleep 0.1; done\"], checks: 1}]\nunguarded: [slow]\n") // its file is outside of the tree
	ctx, cancel := context.WithTimeout(t.Context(), watchdog)
	defer cancel()
	c := w.command(ctx, "run", "--trust", "--yes", "--tool", "write_file", "--args", `{"path": "new.txt", "content": "buy bread\n"}`)
	out, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	said := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "[forge]     still running: slow, ") {
			require.NoError(t, os.WriteFile(flag, nil, 0o600))
		}
	}
	require.NoError(t, c.Wait(), said)
	require.Contains(t, said, "still running: slow, ")
	require.Equal(t, "buy bread\n", w.read("new.txt"))
	w.played()
}

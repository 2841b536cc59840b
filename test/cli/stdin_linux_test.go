package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// An interrupt ends each command that reads a text from stdin, and what was typed so far is not taken for the whole of it.
func TestStdin_InterruptEndsReading(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"key of a provider": {"setup", "openai", "--stdin", "--no-test"},
		"header":            {"mcp", "header", "notes", "Authorization", "--stdin"},
		"memory":            {"memory", "set", "colour", "-"},
		"imported memory":   {"memory", "import", "-"},
		"patch":             {"apply", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, map[string]string{"a.txt": "a\n"})
			w.mcp(0, "add", "notes", "--url", "http://127.0.0.1:1/mcp")
			code, said := interruptedWhileReading(t, w.command(t.Context(), args...))
			require.Equal(t, 4, code, said)
			require.Contains(t, said, "cancelled")
			require.Equal(t, map[string]string{"a.txt": "a\n"}, w.all())
			require.NotContains(t, w.said(0, "memory", "list"), "colour")
		})
	}
}

// interruptedWhileReading starts a command, interrupts it once it reads stdin, and returns its exit code and what it printed.
func interruptedWhileReading(t *testing.T, c *exec.Cmd) (code int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), watchdog)
	defer cancel()
	from, to, err := os.Pipe()
	require.NoError(t, err)
	defer to.Close() // after the end of the command: it never sees the end of its input
	room, err := unix.FcntlInt(to.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize())
	require.NoError(t, err)
	var out bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = from, &out, &out
	require.NoError(t, c.Start())
	defer context.AfterFunc(ctx, func() { _ = c.Process.Kill() })()
	require.NoError(t, from.Close())
	_, err = to.WriteString(strings.Repeat("x", room+1)) // returns once the command has read some of it
	require.NoError(t, err, out.String())
	require.NoError(t, c.Process.Signal(os.Interrupt))
	_ = c.Wait()
	return c.ProcessState.ExitCode(), out.String()
}

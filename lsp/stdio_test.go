package lsp_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/internal/testkit"
	"forge/lsp/lsptest"
)

// child is a server in a process of its own.
type child struct {
	*lsptest.Editor
	process *os.Process
	stdout  *os.File // our end
}

// startChild starts a server process and shakes hands.
func startChild(t *testing.T) *child {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), serveVariable+"=1", "GOGC=100") // users have it; tests collect their own garbage less often
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, theirs, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = theirs
	require.NoError(t, cmd.Start())
	require.NoError(t, theirs.Close())
	e := lsptest.Connect(t, stdout, stdin, func() int {
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode() // -1 for one that died of a signal
	})
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	e.Initialize(nil)
	return &child{e, cmd.Process, stdout}
}

// peakMemory is the highest resident memory of the process so far, in MiB.
func (c *child) peakMemory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(c.process.Pid), "status"))
	require.NoError(t, err)
	found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found)
	kib, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return kib >> 10
}

func TestProcess_EndsWithItsSession(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(t *testing.T, c *child)
		code int
	}{
		{"in good order", func(t *testing.T, c *child) {
			require.NoError(t, c.Request(protocol.MethodShutdown, nil, nil))
			c.Notify(protocol.MethodExit, nil)
		}, 0},
		{"exit alone", func(_ *testing.T, c *child) { c.Notify(protocol.MethodExit, nil) }, 1},
		{"stdin ends", func(_ *testing.T, c *child) { c.CloseInput() }, 1},
		{"SIGTERM", func(t *testing.T, c *child) { require.NoError(t, c.process.Signal(syscall.SIGTERM)) }, 1},
		{"SIGHUP", func(t *testing.T, c *child) {
			if signal.Ignored(syscall.SIGHUP) {
				t.Skip("SIGHUP is ignored here, as under nohup, and the server leaves it so")
			}
			require.NoError(t, c.process.Signal(syscall.SIGHUP))
		}, 1},
		{"SIGINT", func(t *testing.T, c *child) { require.NoError(t, c.process.Signal(os.Interrupt)) }, 1},
		{"stdout is closed", func(t *testing.T, c *child) {
			require.NoError(t, c.stdout.Close())
			for range 10 {
				c.Post(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI))
			}
		}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := startChild(t)
			test.end(t, c)
			require.Equal(t, test.code, c.ExitCode())
		})
	}
}

// A client's input of any size costs no more memory than the limits allow.
func TestProcess_IsBounded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is read from /proc")
	}
	const allowed = 64 // MiB of growth
	chunk := bytes.Repeat([]byte("A"), 1<<20)
	tests := []struct {
		name string
		send func(c *child)
	}{
		{"an endless header line", func(c *child) {
			for range 96 {
				c.Bytes(chunk)
			}
			c.Bytes([]byte("\r\n"))
		}},
		{"a body over the limit", func(c *child) {
			c.Bytes([]byte("Content-Length: 1000000000000000000\r\n\r\n"))
			for range 96 {
				c.Bytes(chunk)
			}
		}},
		{"a promise", func(c *child) {
			c.Bytes([]byte("Content-Length: 2147483647\r\n\r\n{"))
		}},
		{"JSON that is nothing but depth", func(c *child) {
			c.Raw(`{"jsonrpc":"2.0","id":"deep","method":"textDocument/documentSymbol","params":` +
				strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`)
		}},
		{"5,000 edits", func(c *child) {
			c.Open(mainURI, "go", strings.Repeat("// x\n", 5000)) // to keep each version takes twice of what is allowed
			for range 5000 {
				c.Edit(mainURI, protocol.TextEdit{NewText: "x"})
			}
		}},
		{"400 files, opened and closed", func(c *child) {
			text := strings.Repeat("one more line\n", 20_000) // to keep them takes far more than what is allowed
			for i := range 400 {
				u := uri.URI(fmt.Sprintf("file:///tmp/%d.txt", i))
				c.Open(u, "plaintext", text)
				c.Close(u)
			}
		}},
	}
	for _, test := range testkit.Sample(2, tests) {
		t.Run(test.name, func(t *testing.T) {
			c := startChild(t)
			requireAlive(t, c.Editor)
			before := c.peakMemory(t)
			test.send(c)
			requireAlive(t, c.Editor)
			grown := c.peakMemory(t) - before
			t.Log(grown, "MiB of growth")
			require.LessOrEqual(t, grown, allowed)
		})
	}
}

// The child's log goes to what it takes for its stdout; lsptest fails on a byte that is no frame.
func TestStdio_StdoutBelongsToTheProtocol(t *testing.T) {
	t.Parallel()
	c := startChild(t)
	c.Raw("no JSON")
	require.EqualValues(t, -32700, c.Refusal(0).Code)
	requireAlive(t, c.Editor)
}

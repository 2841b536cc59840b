package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The server names the model that the environment says, and none where the environment is no good.
func TestServerStatus_NamesTheModel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ base, want string }{
		"chosen": {"http://127.0.0.1:9/v1", "scripted at 127.0.0.1:9"},
		"wrong":  {"not a URL", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{t: t, root: t.TempDir(), home: t.TempDir()}
			w.environ = append(os.Environ(), "FORGE_HOME="+w.home, "FORGE_BASE_URL="+tt.base, "FORGE_MODEL=scripted")
			c := w.command(t.Context(), "lsp")
			in, err := c.StdinPipe()
			require.NoError(t, err)
			out, err := c.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, c.Start())
			answers := bufio.NewReader(out)

			send(t, in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
			answerTo(t, answers, 1)
			send(t, in, `{"jsonrpc":"2.0","method":"initialized","params":{}}`)
			send(t, in, `{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"forge.status"}}`)
			var status struct{ Model *string }
			require.NoError(t, json.Unmarshal(answerTo(t, answers, 2), &status))
			require.NotNil(t, status.Model)
			require.Equal(t, tt.want, *status.Model)
			send(t, in, `{"jsonrpc":"2.0","id":3,"method":"shutdown"}`)
			answerTo(t, answers, 3)
			send(t, in, `{"jsonrpc":"2.0","method":"exit"}`)
			_, err = io.Copy(io.Discard, answers)
			require.NoError(t, err)
			require.NoError(t, c.Wait(), "it ends with code 0")
		})
	}
}

// A client that never reads stderr loses messages of the server, and nothing else.
func TestServer_UnreadStderrHoldsNothingUp(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not tell whether a pipe has room")
	}
	w := &world{t: t, root: t.TempDir(), home: t.TempDir()}
	w.environ = append(os.Environ(), "FORGE_HOME="+w.home)
	c := w.command(t.Context(), "lsp")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	said, stderr, err := os.Pipe()
	require.NoError(t, err)
	c.Stderr = stderr
	require.NoError(t, c.Start())
	require.NoError(t, stderr.Close())
	answers := bufio.NewReader(out)
	send(t, in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	answerTo(t, answers, 1)
	var sending sync.WaitGroup
	sending.Go(func() {
		for range 3000 {
			_, _ = io.WriteString(in, "Content-Length: 7\r\n\r\nno JSON")
		}
		const last = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
		_, _ = fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(last), last)
	})
	answerTo(t, answers, 2)
	sending.Wait()
	messages := bufio.NewReader(said)
	_, err = messages.ReadString('\n')
	require.NoError(t, err)
	for waiting := true; waiting; { // each message makes the server say something
		send(t, in, "no JSON")
		line, err := messages.ReadString('\n')
		require.NoError(t, err)
		waiting = !strings.Contains(line, "messages were left out: nothing read them")
	}
	send(t, in, `{"jsonrpc":"2.0","method":"exit"}`)
	go func() { _, _ = io.Copy(io.Discard, messages) }()
	_, err = io.Copy(io.Discard, answers)
	require.NoError(t, err)
	require.NoError(t, c.Wait(), "it ends with code 0")
}

// A parent that has ended is gone, although its parent has not waited for it.
func TestServer_ZombieParentIsGone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("zombies are told apart by /proc")
	}
	parent := exec.Command("true")
	require.NoError(t, parent.Start())
	t.Cleanup(func() { _ = parent.Wait() })
	w := &world{t: t, root: t.TempDir(), home: t.TempDir()}
	w.environ = append(os.Environ(), "FORGE_HOME="+w.home)
	c := w.command(t.Context(), "lsp")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	send(t, in, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":%d,"rootUri":null,"capabilities":{}}}`, parent.Process.Pid))
	_ = c.Wait()
	require.Equal(t, 1, c.ProcessState.ExitCode(), "the session has ended without being asked to")
}

// send writes a message as the Language Server Protocol frames it.
func send(t *testing.T, in io.Writer, message string) {
	t.Helper()
	_, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(message), message)
	require.NoError(t, err)
}

// frame reads a message.
func frame(t *testing.T, from *bufio.Reader) []byte {
	t.Helper()
	header, err := textproto.NewReader(from).ReadMIMEHeader()
	require.NoError(t, err)
	size, err := strconv.Atoi(strings.TrimSpace(header.Get("Content-Length")))
	require.NoError(t, err)
	body := make([]byte, size)
	_, err = io.ReadFull(from, body)
	require.NoError(t, err)
	return body
}

// answerTo reads on to the answer of a request and returns its result.
func answerTo(t *testing.T, from *bufio.Reader, id int) json.RawMessage {
	t.Helper()
	for {
		body := frame(t, from)
		var message struct {
			ID     json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		require.NoError(t, json.Unmarshal(body, &message))
		if string(message.ID) == strconv.Itoa(id) {
			require.Empty(t, message.Error)
			return message.Result
		}
	}
}

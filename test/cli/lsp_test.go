package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"strconv"
	"strings"
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

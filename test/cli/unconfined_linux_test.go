package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
	"forge/internal/failpoint"
)

// openly is a world without a sandbox, and a module whose test leaves a file outside of the scratch copy.
func openly(t *testing.T) (w *world, left string) {
	t.Helper()
	w = scripted(t, strings.Repeat(reviewPass, 3), sumModule())
	w.environ = append(w.environ, failpoint.Environment+"="+sandbox.FailpointUnconfined)
	left = filepath.Join(t.TempDir(), "left.txt")
	w.put(map[string]string{"sum_test.go": `package sum

import (
	"os"
	"testing"
)

func TestLeaves(t *testing.T) {
	if err := os.WriteFile(` + strconv.Quote(left) + `, nil, 0o600); err != nil {
		t.Error(err)
	}
}
`})
	return w, left
}

// code are the arguments of a run that writes code.
func code(name string, more ...string) []string {
	return append([]string{"run", "--trust", "--tool", "write_file", "--args", `{"path":"` + name + `.go","content":"package sum\n"}`}, more...)
}

const withoutSandbox = "Execute code of "

// Where nothing confines gates and the user cannot be asked, nothing of the folder is executed, and the run says so.
func TestUnconfined_NothingIsExecutedWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w, left := openly(t)
	_, stdout, stderr := w.run(code("a", "--yes", "--json")...)
	require.Contains(t, stderr, withoutSandbox)
	require.Contains(t, stderr, "no flag covers it, so nothing of the folder is executed")
	require.Contains(t, stdout, "go test was not started: ")
	require.Contains(t, stdout, "this system cannot confine it")
	require.NoFileExists(t, left)

	_, stdout, _ = w.run(code("b", "--yes", "--json", "--non-interactive")...)
	require.Contains(t, stdout, `"unanswered":[{"kind":"unconfined","code":"non_interactive"`)
	require.NoFileExists(t, left)
	_, stdout, _ = w.run("permissions", "list")
	require.NotContains(t, stdout, "unconfined", "what nobody answered is not kept")
}

// Where nothing confines gates, those that the user lists run, and the others are not said to be missing.
func TestUnconfined_RunsListedGates(t *testing.T) {
	t.Parallel()
	w, left := openly(t)
	w.settings("unguarded: [go test]\n")
	_, stdout, stderr := w.run("validate", "--trust", "--gate", "go test", "--gate", "go build")
	require.Contains(t, stdout, "1 test passed in 1 package", stderr)
	require.FileExists(t, left)
	require.Contains(t, stdout, "go build was not started: ")
	require.Contains(t, stdout, "List it in unguarded in your settings")
	require.NotContains(t, stdout+stderr, "not installed")
	_, stdout, stderr = w.run("doctor", "--dir", w.root)
	require.NotContains(t, stdout+stderr, "https://go.dev/doc/install")
}

// In an editor, the server asks the same before a run executes anything, and a no is remembered.
func TestUnconfined_TheServerAsks(t *testing.T) {
	t.Parallel()
	w, left := openly(t)
	require.Contains(t, w.inEditor("Execute nothing"), withoutSandbox)
	require.NoFileExists(t, left)
	_, stdout, _ := w.run("permissions", "list")
	require.Regexp(t, `unconfined +no `, stdout)
}

// With the user's yes gates run. It is remembered for the folder until it is reset.
func TestUnconfined_AYesIsRemembered(t *testing.T) {
	t.Parallel()
	w, left := openly(t)
	require.Contains(t, w.inEditor("Execute without a sandbox"), withoutSandbox)
	_, stdout, _ := w.run("permissions", "list")
	require.Regexp(t, `unconfined +project `, stdout)

	_, stdout, stderr := w.run(code("a", "--yes", "--json")...)
	require.NotContains(t, stderr, withoutSandbox)
	require.FileExists(t, left, stdout)
	require.NoError(t, os.Remove(left))

	ended, _, stderr := w.run("permissions", "reset", "unconfined")
	require.Zero(t, ended, stderr)
	_, _, stderr = w.run(code("b", "--yes", "--json")...)
	require.Contains(t, stderr, withoutSandbox)
	require.NoFileExists(t, left)
}

// inEditor makes a run in an editor that answers each question with a title, and returns the questions.
func (w *world) inEditor(title string) (questions string) {
	t := w.t
	t.Helper()
	ended, _, stderr := w.run("trust")
	require.Zero(t, ended, stderr)
	c := w.command(t.Context(), "lsp")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	answers := bufio.NewReader(out)
	send(t, in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"file://`+w.root+`","capabilities":{"window":{"workDoneProgress":true}}}}`)
	answerTo(t, answers, 1)
	send(t, in, `{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	send(t, in, `{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"forge.run","arguments":[{"task":"add Add"}]}}`)
	questions = answered(t, in, answers, title)
	send(t, in, `{"jsonrpc":"2.0","id":3,"method":"shutdown"}`)
	answerTo(t, answers, 3)
	send(t, in, `{"jsonrpc":"2.0","method":"exit"}`)
	_, _ = io.Copy(io.Discard, answers)
	require.NoError(t, c.Wait())
	return questions
}

// answered answers a server's requests until its run ends: questions with a title, others with nothing. It returns the questions.
func answered(t *testing.T, in io.Writer, from *bufio.Reader, title string) (questions string) {
	t.Helper()
	for {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Message string
				Value   struct{ Kind string }
			}
		}
		require.NoError(t, json.Unmarshal(frame(t, from), &m))
		switch {
		case m.Method == "window/showMessageRequest":
			questions += m.Params.Message + "\n"
			send(t, in, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"title":"`+title+`"}}`)
		case m.Method != "" && len(m.ID) > 0:
			send(t, in, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":null}`)
		case m.Method == "$/progress" && m.Params.Value.Kind == "end":
			return questions
		}
	}
}

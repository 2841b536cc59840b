package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server that has nothing to do yet needs little memory: tools/bench measures 25 MiB, and editors start one for each folder.
func TestServerMemory_IsSmallAfterTheStart(t *testing.T) {
	t.Parallel()
	const most = 60 // MiB; a process that keeps an index, a model or a runtime of its own has more
	w := &world{t: t, root: t.TempDir(), home: t.TempDir()}
	w.environ = append(os.Environ(), "FORGE_HOME="+w.home)
	c := w.command(t.Context(), "lsp")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	answers := bufio.NewReader(out)
	send(t, in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"file://`+w.root+`","capabilities":{}}}`)
	answerTo(t, answers, 1)
	send(t, in, `{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	send(t, in, `{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"forge.status"}}`)
	answerTo(t, answers, 2)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	require.NoError(t, err)
	found := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found)
	kib, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	require.Less(t, kib>>10, most)
	require.NoError(t, in.Close())
	_, err = io.Copy(io.Discard, answers)
	require.NoError(t, err)
	_ = c.Wait() // its input ended without an exit
}

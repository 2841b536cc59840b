package cli

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run is played by hand: each request is a file, and so is its answer. What was played plays again.
func TestDevPlay_AnswersFromFiles(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	dir := filepath.Join(t.TempDir(), "played")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "001.answer.md"), []byte("It adds two numbers."), 0o600))
	play := w.command(t.Context(), "dev", "play", dir)
	out, err := play.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, play.Start())
	t.Cleanup(func() { _ = play.Process.Kill(); _ = play.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	w.environ = append(w.environ, "FORGE_BASE_URL="+strings.TrimSpace(url), "FORGE_MODEL=played")
	code, stdout, stderr := w.run("ask", "--trust", "what does this module do?")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout+stderr, "It adds two numbers.")
	request, err := os.ReadFile(filepath.Join(dir, "001.request.md"))
	require.NoError(t, err)
	require.Contains(t, string(request), "what does this module do?")
	require.Contains(t, string(request), "===== system")
}

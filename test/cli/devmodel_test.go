package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// served is a `forge dev model` that runs.
type served struct {
	t       *testing.T
	process *exec.Cmd
	journal *journal
	url     string
}

func devModel(t *testing.T, args ...string) served {
	t.Helper()
	s := served{t: t, process: exec.Command(forge, append([]string{"dev", "model"}, args...)...), journal: newJournal()}
	s.process.Stderr = s.journal
	out, err := s.process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.process.Start())
	t.Cleanup(func() { _ = s.process.Process.Kill(); _ = s.process.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, s.journal)
	s.url = strings.TrimSpace(url)
	return s
}

// end interrupts it and returns how it ended.
func (s served) end() error {
	s.t.Helper()
	require.NoError(s.t, s.process.Process.Signal(syscall.SIGINT))
	return s.process.Wait()
}

func (s served) ask(key string) (llm.Response, error) {
	m := openai.New(wire.Options{BaseURL: s.url, Key: key, Model: "scripted"})
	defer m.Close()
	response, err := m.Complete(s.t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}, nil)
	response.Latency = 0
	return response, err
}

// A session with a server, which is a scripted one here, is recorded by one process and played by another, to a client
// without the key.
func TestDevModel_RecordsAndReplaysASession(t *testing.T) {
	t.Parallel()
	const key = "sk-canary-5b81f0"
	dir := t.TempDir()
	script, tape := filepath.Join(dir, "script.yaml"), filepath.Join(dir, "tape.jsonl")
	require.NoError(t, os.WriteFile(script, []byte("entries:\n- reply: {text: 'Hello. This is a “real” answer.'}\n"), 0o600))

	upstream := devModel(t, "--script", script)
	recorder := devModel(t, "--record", tape, "--upstream", upstream.url)
	seen, err := recorder.ask(key)
	require.NoError(t, err)
	require.NoError(t, recorder.end(), recorder.journal)
	require.NoError(t, upstream.end(), upstream.journal)
	recorded, err := os.ReadFile(tape)
	require.NoError(t, err)
	require.NotContains(t, string(recorded), key)
	require.NotContains(t, string(recorded), "Hello?")

	player := devModel(t, "--cassette", tape)
	again, err := player.ask("")
	require.NoError(t, err)
	require.Equal(t, seen, again)
	require.NoError(t, player.end(), player.journal)

	nobody := devModel(t, "--cassette", tape)
	require.Error(t, nobody.end())
	require.Contains(t, nobody.journal.String(), "exchange 1 was not requested")
}

func TestDevModel_RejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	require.NoError(t, os.WriteFile(there, []byte("x"), 0o600))
	for says, args := range map[string][]string{
		"file exists":                     {"--record", there, "--upstream", "http://127.0.0.1:1"},
		"must begin with http":            {"--record", filepath.Join(dir, "new"), "--upstream", "127.0.0.1:1"},
		"upstream":                        {"--record", filepath.Join(dir, "newer")},
		"it is no cassette":               {"--cassette", there},
		"no such file or directory":       {"--cassette", filepath.Join(dir, "absent")},
		"none of the others can be":       {"--cassette", there, "--script", there},
		"cannot unmarshal !!str `x` into": {"--script", there},
	} {
		code, _, stderr := execute(t, exec.Command(forge, append([]string{"dev", "model"}, args...)...))
		require.NotZero(t, code, args)
		require.Contains(t, stderr, says, args)
	}
	require.NoFileExists(t, filepath.Join(dir, "new"), "a recording that did not begin leaves no file")
}

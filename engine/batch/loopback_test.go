package batch_test

import (
	"io"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/batch"
	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
	"forge/internal/failpoint"
)

// The adapters of providers, for processes that are killed: by name, at the address that the environment says.
var adapters = map[string]func(wire.Options) llm.Batcher{
	"openai":    func(o wire.Options) llm.Batcher { return openai.New(o) },
	"anthropic": func(o wire.Options) llm.Batcher { return anthropic.New(o) },
}

// near is the provider of a child process: one over HTTP if the environment names it.
func near(dir string) llm.Batcher {
	connect := adapters[os.Getenv("FORGE_BATCH_ADAPTER")]
	if connect == nil {
		return far(dir)
	}
	return connect(wire.Options{BaseURL: os.Getenv("FORGE_BATCH_URL"), Key: "k", Model: llmtest.DefaultModel})
}

// TestLoopback_KilledBesideRealAPIs kills the process that asks where it hurts, with the adapters and the wire formats of both providers:
// the script has each answer once, and refuses a second request for it.
func TestLoopback_KilledBesideRealAPIs(t *testing.T) {
	t.Parallel()
	for name := range adapters {
		for _, place := range []string{
			batch.FailLabelled, batch.FailSubmitting, batch.FailAccepted, batch.FailAcceptedKept, batch.FailResults, batch.FailResultsKept, batch.FailDeliver,
		} {
			t.Run(name+", "+place, func(t *testing.T) {
				t.Parallel()
				script, err := llmtest.New(once("a"), once("b"))
				require.NoError(t, err)
				server := httptest.NewServer(llmtest.Handler(script, io.Discard))
				defer server.Close()
				dir, env := t.TempDir(), []string{"FORGE_BATCH_ADAPTER=" + name, "FORGE_BATCH_URL=" + server.URL + "/v1"}
				killedAt(t, "ask", dir, place, env...)
				lines, err := process(t, "ask", dir, append(env, failpoint.Environment+"=")...)
				require.NoError(t, err)
				require.Equal(t, []string{"re: a\n", "re: b\n"}, lines)
				require.NoError(t, script.Verify())
				require.Equal(t, 1, script.Jobs())
			})
		}
	}
}

// once is an answer that is given once.
func once(text string) llmtest.Entry {
	return llmtest.Entry{Match: llmtest.Match{Contains: []string{text}}, Reply: &llmtest.Reply{Text: "re: " + text}}
}

// Package gateways asks servers of models that Forge did not write: aimock, a mock of many providers, and the proxy of
// LiteLLM, a gateway that users put in front of theirs. What our adapters make of them is no opinion of ours.
package gateways

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// ready is how long a server may take until it answers.
const ready = 10 * time.Minute

// program starts one that ends with the test, and shows what it wrote if the test fails. It returns once the program has written a line that
// matches, with the line's first group, and a channel that is closed when the program ends.
func program(t *testing.T, line *regexp.Regexp, env []string, argv ...string) (group string, ended <-chan struct{}) {
	t.Helper()
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(os.Environ(), env...)
	out, in := io.Pipe()
	c.Stdout, c.Stderr = in, in
	require.NoError(t, c.Start())
	var said log
	found := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			said.add(lines.Text())
			if m := line.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case found <- m[1]:
				default:
				}
			}
		}
	}()
	go func() {
		_ = c.Wait() // it was killed, or has written why it ended
		_ = in.Close()
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-read
		if t.Failed() {
			t.Logf("%s wrote:\n%s", filepath.Base(argv[0]), said.end())
		}
	})
	select {
	case group = <-found:
	case <-read:
		select {
		case group = <-found:
		default:
			require.Fail(t, "the server ended before it was ready", said.text())
		}
	case <-time.After(ready):
		require.Fail(t, "the server was not ready in time", said.text())
	}
	return group, read
}

// log is what a program wrote.
type log struct {
	mu   sync.Mutex
	said bytes.Buffer
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.WriteString(line + "\n")
}

func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.String()
}

// end is the end of what it wrote.
func (l *log) end() string {
	const enough = 2000
	text := l.text()
	return text[max(0, len(text)-enough):]
}

// fixture is an answer of aimock: see its documentation.
type fixture map[string]any

// aimock serves fixtures until the test ends, and gives the URL of the server. It is strict: what no fixture matches is
// refused.
func aimock(t *testing.T, fixtures ...fixture) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "fixtures.json"), map[string]any{"fixtures": fixtures})
	config := filepath.Join(dir, "aimock.json")
	write(t, config, map[string]any{"port": 0, "strict": true, "llm": map[string]any{"fixtures": filepath.Join(dir, "fixtures.json")}})
	script, err := filepath.Abs("node_modules/@copilotkit/aimock/dist/aimock-cli.js")
	require.NoError(t, err)
	url, _ := program(t, regexp.MustCompile(`listening on (http://\S+)`), nil, "node", script, "--config", config)
	return url
}

func write(t *testing.T, path string, value any) {
	t.Helper()
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, encoded, 0o600))
}

// heard is one request as aimock notes it.
type heard struct {
	Timestamp float64 // milliseconds
	Path      string
	Headers   map[string]string
	Body      map[string]json.RawMessage
	Response  struct{ Status int }
}

// journal is what aimock was asked, the oldest first.
func journal(t *testing.T, url string) []heard {
	t.Helper()
	response, err := http.Get(url + "/__aimock/journal") //nolint:noctx // on loopback, in a test
	require.NoError(t, err)
	defer response.Body.Close()
	var all []heard
	require.NoError(t, json.NewDecoder(response.Body).Decode(&all))
	return all
}

// gatewayKey is what LiteLLM asks its clients for.
const gatewayKey = "sk-gateway-5d0c1f"

// gatewayConfig has models that answer, or fail, without anybody being asked.
const gatewayConfig = `
model_list:
  - {model_name: plain, litellm_params: {model: openai/gpt-4o-mini, api_key: sk-none, mock_response: "` + gatewayText + `"}}
  - {model_name: claude, litellm_params: {model: anthropic/claude-3-5-sonnet-20240620, api_key: sk-none, mock_response: "` + gatewayText + `"}}
  - {model_name: limited, litellm_params: {model: openai/gpt-4o-mini, api_key: sk-none, mock_response: litellm.RateLimitError}}
  - {model_name: broken, litellm_params: {model: openai/gpt-4o-mini, api_key: sk-none, mock_response: litellm.InternalServerError}}
  - {model_name: small, litellm_params: {model: openai/gpt-4o-mini, api_key: sk-none, mock_response: litellm.ContextWindowExceededError}}
litellm_settings: {telemetry: false, num_retries: 0}
router_settings: {num_retries: 0, disable_cooldowns: true}
general_settings: {master_key: ` + gatewayKey + `}
`

const gatewayText = "Hello from behind the gateway, in one whole answer: naïve, 東京, 🎉."

// litellm serves gatewayConfig until the test ends, and gives its URL.
func litellm(t *testing.T) string {
	t.Helper()
	home := os.Getenv("FORGE_TEST_LITELLM")
	require.NotEmpty(t, home, "run scripts/test.sh gateways, which installs the proxy and says where it is")
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte(gatewayConfig), 0o600))
	port := freePort(t)
	url := "http://127.0.0.1:" + strconv.Itoa(port)
	_, ended := program(t, regexp.MustCompile(`(Proxy initialized)`),
		[]string{"LITELLM_LOCAL_MODEL_COST_MAP=True", "LITELLM_LOG=ERROR", "DO_NOT_TRACK=1", "NO_PROXY=127.0.0.1"},
		filepath.Join(home, "bin", "litellm"), "--config", config, "--host", "127.0.0.1", "--port", strconv.Itoa(port), "--telemetry", "False")
	require.Eventually(t, func() bool {
		select {
		case <-ended:
			return true
		default:
			return answers(url + "/health/liveliness")
		}
	}, ready, 100*time.Millisecond)
	require.True(t, answers(url+"/health/liveliness"), "the server ended before it answered")
	return url
}

func answers(url string) bool {
	response, err := http.Get(url) //nolint:noctx // on loopback, in a test
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// freePort is a port without a listener. It lies below those that systems assign to requests for any port, as all other tests make: the
// server needs half a minute until it listens there, and another test could take an assigned port meanwhile.
func freePort(t *testing.T) int {
	t.Helper()
	const lowest, below = 15_000, 32_000
	for range 100 {
		port := lowest + rand.IntN(below-lowest)
		listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)) //nolint:noctx // ends at once
		if err == nil {
			require.NoError(t, listener.Close())
			return port
		}
	}
	require.Fail(t, "no port is free")
	return 0
}

// ask asks for a text.
func ask(text string) llm.Request {
	return llm.Request{Node: "n", Attempt: 1, Key: "call-1", MaxTokens: 1000, Messages: []llm.Message{
		{Role: llm.System, Text: "You answer.", Stable: true}, {Role: llm.User, Text: text},
	}}
}

// told asks, and gives the answer with its pieces put together.
func told(ctx context.Context, t *testing.T, m llm.Model, r llm.Request) (llm.Response, string) {
	t.Helper()
	var shown bytes.Buffer
	response, err := m.Complete(ctx, r, func(piece string) { shown.WriteString(piece) })
	require.NoError(t, err)
	return response, shown.String()
}

// failed asks for what cannot be had, and gives the error. No key is in it.
func failed(t *testing.T, m llm.Model, r llm.Request) *llm.Error {
	t.Helper()
	_, err := m.Complete(t.Context(), r, nil)
	var failure *llm.Error
	require.ErrorAs(t, err, &failure)
	require.NotContains(t, err.Error(), gatewayKey)
	return failure
}

// A server that ends before it is ready is reported at once, not when all patience is over.
func TestProgram_ThatEndsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	_, ended := program(t, regexp.MustCompile(`^(up)$`), nil, "sh", "-c", "echo up; exit 1")
	<-ended
}

package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"forge/engine/mcp"
	"forge/engine/sandbox"
	"forge/engine/tool"

	"github.com/stretchr/testify/require"
)

// caller calls the tool of a server that misbehaves.
type caller struct {
	t       *testing.T
	session *mcp.Session
	log     string
	tool    tool.MCPTool
	root    string
}

func newCaller(t *testing.T, how string, limit time.Duration) *caller {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := &caller{t: t, log: filepath.Join(t.TempDir(), "log"), root: t.TempDir()}
	c.tool = tool.MCPTool{Server: "t", Tool: "echo", Pin: pinOfEcho()}
	o := mcp.Options{Runner: sandbox.New(sandbox.Options{Environ: os.Environ()}), Version: "test"}
	c.session = mcp.NewSession(o, []mcp.Server{{Name: "t", Command: []string{self, "serve", how, c.log}, Timeout: limit}})
	t.Cleanup(c.session.Close)
	return c
}

// pinOfEcho returns the pin of the honest tool.
var pinOfEcho = sync.OnceValue(func() string {
	site := httptest.NewServer(http.HandlerFunc((&site{how: "honest"}).serve))
	defer site.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	tools, err := mcp.List(context.Background(), mcp.Options{HTTP: &http.Client{Transport: transport}}, mcp.Server{Name: "t", URL: site.URL})
	if err != nil {
		panic(err)
	}
	return tools[0].Pin
})

func (c *caller) call() tool.MCPAnswer {
	c.t.Helper()
	answer, err := c.session.Call(context.Background(), tool.MCPCall{Tool: c.tool, Input: json.RawMessage(`{"b":"x"}`), Root: c.root})
	require.NoError(c.t, err)
	return answer
}

// logged counts what has reached the server, in all of its processes.
func (c *caller) logged(what string) int {
	c.t.Helper()
	log, err := os.ReadFile(c.log)
	require.NoError(c.t, err)
	return strings.Count(string(log), what)
}

func TestSession_CallsAHonestServer(t *testing.T) {
	t.Parallel()
	c := newCaller(t, "honest", 0)
	require.Equal(t, tool.MCPAnswer{Text: "done"}, c.call())
	require.Equal(t, tool.MCPAnswer{Text: "done"}, c.call())
	require.Equal(t, 1, c.logged("list"), "one process serves all calls")
}

// A call that was sent and has no answer is made once, unless the user calls it idempotent.
func TestSession_RepeatsOnlyWhatIsIdempotent(t *testing.T) {
	t.Parallel()
	const doubt = "Whether the call was carried out is unknown"
	for how, c := range map[string]struct {
		idempotent bool
		want       string
		calls      int
	}{
		"dies in its first call": {true, "done", 2},
		"dies in a call":         {true, "the server ended with exit code 3", 2},
	} {
		called := newCaller(t, how, 0)
		answer := called.call()
		require.Contains(t, answer.Text, "the server ended with exit code 3", how)
		require.Contains(t, answer.Text, doubt, how)
		require.True(t, answer.Failed, how)
		require.Equal(t, 1, called.logged("call"), how)

		called = newCaller(t, how, 0)
		called.tool.Idempotent = c.idempotent
		require.Contains(t, called.call().Text, c.want, how)
		require.Equal(t, c.calls, called.logged("call"), how)
	}
}

func TestSession_RestartsAServerOnce(t *testing.T) {
	t.Parallel()
	c := newCaller(t, "dies in a call", 0)
	c.call()
	require.Contains(t, c.call().Text, "exit code 3", "it was restarted")
	require.Contains(t, c.call().Text, "has failed 2 times in this run")
	require.Equal(t, 2, c.logged("call"))
}

func TestSession_EndsAServerThatBreaksTheRulesInACall(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"hangs in a call": "did not answer within 20s", "wrong id in a call": "did not answer within 20s",
		"floods in a call": "its connection broke", "floods notices in a call": "", "malformed": "its connection broke",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var limit time.Duration
			if strings.Contains(want, "within") {
				limit = 20 * time.Second
			}
			c := newCaller(t, how, limit)
			answer := c.call()
			require.True(t, answer.Failed)
			require.Contains(t, answer.Text, want)
			require.Contains(t, answer.Text, "It was not repeated")
			require.Equal(t, 1, c.logged("call"))
		})
	}
}

func TestSession_ReportsWhatTheServerRejects(t *testing.T) {
	t.Parallel()
	c := newCaller(t, "rejects", 0)
	answer := c.call()
	require.True(t, answer.Failed)
	require.Contains(t, answer.Text, "it rejects the call: not ")
	require.NotContains(t, answer.Text, "\x1b")
	c.call()
	require.Equal(t, 1, c.logged("list"), "it still runs")

	answer = newCaller(t, "rich", 0).call()
	require.True(t, answer.Failed)
	require.Contains(t, answer.Text, "[image, image/png, 3 bytes]\n[resource file:///x x]")
}

func TestSession_TakesTheFirstOfTwoAnswers(t *testing.T) {
	t.Parallel()
	c := newCaller(t, "answers twice", 0)
	require.Equal(t, "call 1", c.call().Text)
	require.Equal(t, "call 2", c.call().Text)
}

// A tool whose definition is no longer the accepted one is not called, whether it changed before the run or in it; a thousand announcements
// are one listing.
func TestSession_DisablesAToolWhoseDefinitionHasChanged(t *testing.T) {
	t.Parallel()
	c := newCaller(t, "changed", 0)
	require.Contains(t, c.call().Text, "has changed since the user accepted it")
	require.Zero(t, c.logged("call"))

	c = newCaller(t, "changes", 0)
	require.Equal(t, "done", c.call().Text)
	require.Contains(t, c.call().Text, "has changed since the user accepted it")
	require.Equal(t, 1, c.logged("call"))
	require.Equal(t, 2, c.logged("list"))
}

func TestSession_NamesTheTreeAsTheRoot(t *testing.T) {
	t.Parallel()
	c := newCaller(t, "roots", 0)
	require.Equal(t, "file://"+c.root, c.call().Text)
	c.root = t.TempDir()
	require.Equal(t, "file://"+c.root, c.call().Text, "the tree of the next call")
}

func TestSession_RejectsSamplingAndElicitation(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"sampling", "elicitation"} {
		answer := newCaller(t, how, 0).call()
		require.Contains(t, answer.Text, `refused: {"code":-3`, how)
	}
}

func TestSession_RejectsAnUnknownServer(t *testing.T) {
	t.Parallel()
	answer, err := mcp.NewSession(mcp.Options{}, nil).Call(context.Background(), tool.MCPCall{Tool: tool.MCPTool{Server: "x"}})
	require.NoError(t, err)
	require.Contains(t, answer.Text, "no MCP server named x")
}

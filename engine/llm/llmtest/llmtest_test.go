package llmtest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const script = `
model: demo
entries:
- match: {node: executor, attempt: 1, contains: [slug, "é"], schema: reply}
  reply: {json: {b: [1, 2.5], a: "x"}}
- match: {node: executor}
  reply: {text: "plain text, longer than one piece"}
  times: 2
- match: {attempt: 3}
  reply: {patch: "*** Begin Patch\n*** End Patch\n"}
- match: {node: any}
  reply: {stream: [{delta: "a"}, {delta: "b", delayMs: 1500}], delayMs: 500, usage: {input: 7, output: 9}}
  times: -1
`

func request(node string, attempt int, text string) llm.Request {
	return llm.Request{Node: node, Attempt: attempt, SchemaName: "reply", Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func parse(t *testing.T, text string) *llmtest.Script {
	t.Helper()
	s, err := llmtest.Parse("demo.yaml", []byte(text))
	require.NoError(t, err)
	return s
}

func TestScript_TheFirstEntryThatMatchesAndHasTimesLeftAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := parse(t, script)
		model := s.Model()
		require.Equal(t, "demo", model.Name())
		steps := []struct {
			request llm.Request
			want    string
		}{
			{request("executor", 1, "slug é"), `{"a":"x","b":[1,2.5]}`},
			{request("executor", 1, "slug é"), "plain text, longer than one piece"}, // the first is used up
			{request("executor", 2, "slug"), "plain text, longer than one piece"},
			{request("executor", 3, ""), "*** Begin Patch\n*** End Patch\n"},
			{request("any", 1, ""), "ab"},
			{request("any", 9, ""), "ab"},
		}
		var asked []llm.Request
		for _, step := range steps {
			var shown strings.Builder
			response, err := model.Complete(t.Context(), step.request, func(piece string) { shown.WriteString(piece) })
			require.NoError(t, err)
			require.Equal(t, step.want, response.Text)
			require.Equal(t, step.want, shown.String())
			require.Equal(t, llm.FinishStop, response.Finish)
			asked = append(asked, step.request)
			if step.want == "ab" {
				require.Equal(t, 2*time.Second, response.Latency)
				require.Equal(t, llm.Usage{Input: 7, Output: 9}, response.Usage)
			}
		}
		require.NoError(t, s.Verify())
		require.Empty(t, s.Unused())
		require.Empty(t, cmp.Diff(asked, s.Requests()))
	})
}

func TestScript_AnUnexpectedRequestIsAnError(t *testing.T) {
	t.Parallel()
	s := parse(t, script)
	_, err := s.Model().Complete(t.Context(), request("review", 1, "x"), nil)
	var failed *llm.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, llm.KindInvalid, failed.Kind)
	require.ErrorContains(t, err, `node "review", attempt 1, schema "reply"`)
	require.ErrorContains(t, err, `entry 1 (line 4): node "executor", attempt 1, schema "reply", text with "slug", text with "é"`)
	require.Len(t, s.Unused(), 4)
	err = s.Verify()
	require.ErrorContains(t, err, `entry 2 (line 6) was used 0 times of 2`)
	require.ErrorContains(t, err, `not expected: node "review"`)
}

func TestScript_ADelayEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		response, err := parse(t, script).Model().Complete(ctx, request("any", 1, ""), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, "a", response.Text)
	})
}

func TestScript_ParseRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, says string }{
		"nothing":                  {"", "no entries"},
		"unknown field":            {"entries:\n- reply: {text: a}\n  tiems: 2\n", "line 3: field tiems not found"},
		"unknown deep down":        {"entries:\n- match: {nod: a}\n  reply: {text: a}\n", "field nod not found"},
		"second document":          {"entries:\n- reply: {text: a}\n---\nmodel: b\n", "second document"},
		"neither reply nor":        {"entries:\n- match: {node: a}\n", "entry 1 (line 2): it has neither a reply nor a fault"},
		"two texts":                {"entries:\n- reply: {text: a, patch: b}\n", "give exactly one"},
		"no text":                  {"entries:\n- reply: {finish: stop}\n", "give exactly one"},
		"keys that are numbers":    {"entries:\n- reply: {json: {1: a}}\n", "a key that is no string"},
		"not a number":             {"entries:\n- reply: {json: {a: .nan}}\n", "a number that JSON does not know"},
		"no such fault":            {"entries:\n- fault: {kind: earthquake}\n", `no fault "earthquake"`},
		"no fault at all":          {"entries:\n- fault: {}\n", `no fault ""`},
		"a good status":            {"entries:\n- fault: {status: 200}\n", "400 to 599, not 200"},
		"kind and status":          {"entries:\n- fault: {kind: cut, status: 500}\n", "do not go together"},
		"a reply that is not sent": {"entries:\n- fault: {status: 500}\n  reply: {text: a}\n", "sends no reply"},
		"times":                    {"entries:\n- reply: {text: a}\n  times: -2\n", "times is -2"},
		"bytes":                    {"entries:\n- fault: {kind: cut, afterBytes: -1}\n", "afterBytes is -1"},
		"not YAML":                 {"entries: [", "demo.yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := llmtest.Parse("demo.yaml", []byte(test.text))
			require.ErrorContains(t, err, test.says)
		})
	}
}

// serve serves a script until the test ends; the log is complete when stop has returned.
func serve(t *testing.T, s *llmtest.Script, log io.Writer) (base string, stop func()) {
	t.Helper()
	listener, err := llmtest.Listen(t.Context(), 0)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- llmtest.Serve(ctx, listener, s, log) }()
	return "http://" + listener.Addr().String(), func() {
		cancel()
		require.NoError(t, <-served)
	}
}

// exchange sends one request and returns status and body.
func exchange(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("X-Forge-Node", "executor")
	r.Header.Set("X-Forge-Attempt", "2")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	require.NoError(t, err)
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

func TestScript_ServeSpeaksOpenAI(t *testing.T) {
	t.Parallel()
	s := parse(t, `
entries:
- match: {node: executor, attempt: 2, schema: reply, contains: [hello there]}
  reply: {text: "é", wire: {crlf: true, comments: true, splitBytes: 1}}
`)
	s.Now = func() time.Time { return time.Unix(1700000000, 0) }
	var log bytes.Buffer
	base, stop := serve(t, s, &log)
	const body = `{"stream":true,"temperature":0.5,"max_tokens":9,"response_format":{"json_schema":{"name":"reply","schema":{"type":"object"}}},
		"messages":[{"role":"system","content":"be kind"},{"role":"user","content":[{"type":"text","text":"hello "},{"type":"text","text":"there"}]}]}`
	status, stream := exchange(t, http.MethodPost, base+"/v1/chat/completions", body)
	require.Equal(t, http.StatusOK, status)
	const tail = `"created":1700000000,"id":"chatcmpl-1","model":"scripted","object":"chat.completion.chunk"`
	want := ""
	for _, event := range []string{
		`{"choices":[{"delta":{"content":"","role":"assistant"},"finish_reason":null,"index":0}],` + tail + "}",
		`{"choices":[{"delta":{"content":"é"},"finish_reason":null,"index":0}],` + tail + "}",
		`{"choices":[{"delta":{},"finish_reason":"stop","index":0}],` + tail + "}",
		`{"choices":[],` + tail + `,"usage":{"completion_tokens":1,"prompt_tokens":5,"total_tokens":6}}`,
		"[DONE]",
	} {
		want += ": still here\r\n\r\ndata: " + event + "\r\n\r\n"
	}
	require.Equal(t, want, stream)

	status, text := exchange(t, http.MethodPost, base+"/chat/completions", body)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, text, "the script does not expect this request")
	require.Contains(t, text, "it expects nothing more")
	status, text = exchange(t, http.MethodPost, base+"/v1/chat/completions", `not JSON`)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, text, "not a chat completion")
	status, text = exchange(t, http.MethodGet, base+"/v1/models", "")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"object":"list","data":[{"id":"scripted","object":"model","owned_by":"forge"}]}`, text)
	status, _ = exchange(t, http.MethodGet, base+"/v1/embeddings", "")
	require.Equal(t, http.StatusNotFound, status)

	stop()
	require.Empty(t, cmp.Diff(llm.Request{
		Node: "executor", Attempt: 2, Temperature: 0.5, MaxTokens: 9, Schema: []byte(`{"type":"object"}`), SchemaName: "reply",
		Messages: []llm.Message{{Role: llm.System, Text: "be kind"}, {Role: llm.User, Text: "hello there"}},
	}, s.Requests()[0]))
	require.ErrorContains(t, s.Verify(), "not expected")
	require.Contains(t, log.String(), `node "executor", attempt 2, schema "reply" → entry 1 (line 3)`)
	require.Contains(t, log.String(), "UNEXPECTED node")
}

func TestScript_ServeIsForLoopbackOnly(t *testing.T) {
	t.Parallel()
	open := fake{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}}
	require.ErrorContains(t, llmtest.Serve(t.Context(), open, parse(t, script), nil), "not a loopback address")
}

func TestScript_ServePassesOnWhyItCannotListen(t *testing.T) {
	t.Parallel()
	broken := fake{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}}
	require.ErrorIs(t, llmtest.Serve(t.Context(), broken, parse(t, script), nil), errAccept)
}

var errAccept = errors.New("no more files")

// fake is a listener that accepts nothing.
type fake struct{ address net.Addr }

func (f fake) Accept() (net.Conn, error) { return nil, errAccept }
func (f fake) Close() error              { return nil }
func (f fake) Addr() net.Addr            { return f.address }

func TestScript_ServeEndsHangingAnswers(t *testing.T) {
	t.Parallel()
	s := parse(t, "entries:\n- fault: {kind: hang}\n")
	asked := make(signal)
	base, stop := serve(t, s, asked)
	failed := make(chan error, 1)
	go func() {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true}`)) //nolint:noctx // ended by the server
		if err == nil {
			err = response.Body.Close()
		}
		failed <- err
	}()
	<-asked
	stop()
	require.Error(t, <-failed)
}

// signal is a log of which the first line is an event.
type signal chan struct{}

func (s signal) Write(line []byte) (int, error) {
	close(s)
	return len(line), nil
}

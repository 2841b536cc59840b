package cassette_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/cassette"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/ollama"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-canary-77e1a2"

// serve serves a handler on loopback and returns its root; stop ends it.
func serve(t *testing.T, handler http.Handler) (root string, stop func()) {
	t.Helper()
	listener, err := llmtest.Listen(t.Context(), 0)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- llmtest.ServeHandler(ctx, listener, handler) }()
	once := sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-served)
	})
	t.Cleanup(once)
	return "http://" + listener.Addr().String(), once
}

func scripted(t *testing.T, entries string) *llmtest.Script {
	t.Helper()
	s, err := llmtest.Parse("real.yaml", []byte(entries))
	require.NoError(t, err)
	return s
}

// adapters make a model of each format for the root of a server.
var adapters = map[string]func(root string) llm.Model{
	"openai": func(root string) llm.Model {
		return openai.New(wire.Options{BaseURL: root + "/v1", Key: key, Model: "scripted", Now: frozen})
	},
	"anthropic": func(root string) llm.Model {
		return anthropic.New(wire.Options{BaseURL: root, Key: key, Model: "scripted", Now: frozen})
	},
	"ollama": func(root string) llm.Model {
		return ollama.New(ollama.Options{Window: 8192, Options: wire.Options{BaseURL: root, Key: key, Model: "scripted", Now: frozen}})
	},
}

func frozen() time.Time { return time.Unix(1700000000, 0) }

const session = `
entries:
- match: {contains: [first]}
  reply: {text: "Not one piece, but several: “É à” 😀.", wire: {splitBytes: 7}}
- match: {contains: [first]}
  reply: {text: "The same again is answered in another way."}
- match: {contains: [tools]}
  reply: {toolCalls: [{name: search, arguments: {query: slugify}}], usage: {input: 3, output: 4}}
- match: {contains: [too many]}
  fault: {status: 429, retryAfter: "7", message: "the key ` + key + ` asks too often"}
- match: {contains: [broken]}
  fault: {kind: cut, afterBytes: 450}
  reply: {text: "This answer breaks off, and must do so again when it is played."}
`

// outcome is what came of one call.
type outcome struct {
	Response llm.Response
	Pieces   string
	Error    string
	Kind     llm.Kind
	Wait     time.Duration
}

// play asks what the session answers, in its order.
func play(t *testing.T, m llm.Model) []outcome {
	t.Helper()
	if closer, ok := m.(interface{ Close() }); ok {
		defer closer.Close()
	}
	var all []outcome
	for _, text := range []string{"first", "first", "tools", "too many", "broken"} {
		r := llm.Request{MaxTokens: 100, Messages: []llm.Message{{Role: llm.User, Text: text}}}
		if text == "tools" {
			r.Tools = []llm.ToolDef{{Name: "search", Schema: []byte(`{"type":"object","properties":{}}`)}}
		}
		var o outcome
		var err error
		o.Response, err = m.Complete(t.Context(), r, func(piece string) { o.Pieces += piece })
		var failure *llm.Error
		if errors.As(err, &failure) {
			o.Error, o.Kind, o.Wait = failure.Err.Error(), failure.Kind, failure.RetryAfter
		}
		all = append(all, o)
	}
	return all
}

// record plays a session with a server through a recorder, and returns what came of it and the cassette.
func record(t *testing.T, newModel func(string) llm.Model) ([]outcome, string) {
	t.Helper()
	real := scripted(t, session)
	upstream, stopUpstream := serve(t, llmtest.Handler(real, nil))
	var tape bytes.Buffer
	recorder, err := cassette.NewRecorder(upstream, &tape, time.Now)
	require.NoError(t, err)
	root, stop := serve(t, recorder)
	seen := play(t, newModel(root))
	stop()
	recorder.Close()
	stopUpstream()
	require.NoError(t, recorder.Err())
	require.NoError(t, real.Verify())
	return seen, tape.String()
}

func TestCassette_ReplaysTheRecording(t *testing.T) {
	t.Parallel()
	for name, newModel := range adapters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen, tape := record(t, newModel)
			require.Equal(t, llm.KindTruncated, seen[4].Kind)
			require.Equal(t, 7*time.Second, seen[3].Wait)
			require.NotContains(t, tape, key)
			require.NotContains(t, tape, "slugify\"}}]", "no request is in it")
			require.NotContains(t, strings.ToLower(tape), "authorization")

			played, err := cassette.Read("tape", strings.NewReader(tape))
			require.NoError(t, err)
			root, stop := serve(t, played)
			again := play(t, newModel(root))
			stop()
			require.NoError(t, played.Verify())
			again[3].Error = strings.ReplaceAll(again[3].Error, "127.0.0.1", "")
			seen[3].Error = strings.ReplaceAll(seen[3].Error, "127.0.0.1", "")
			require.Empty(t, cmp.Diff(seen, again))
		})
	}
}

func TestCassette_PlayingIsStrict(t *testing.T) {
	t.Parallel()
	_, tape := record(t, adapters["openai"])
	played, err := cassette.Read("tape", strings.NewReader(tape))
	require.NoError(t, err)
	root, stop := serve(t, played)
	m := adapters["openai"](root)
	for range 2 {
		_, err = m.Complete(t.Context(), llm.Request{MaxTokens: 100, Messages: []llm.Message{{Role: llm.User, Text: "first"}}}, nil)
		require.NoError(t, err)
	}
	_, err = m.Complete(t.Context(), llm.Request{MaxTokens: 100, Messages: []llm.Message{{Role: llm.User, Text: "first"}}}, nil)
	require.ErrorContains(t, err, "holds no such request, or no further one")
	_, err = m.Complete(t.Context(), llm.Request{MaxTokens: 101, Messages: []llm.Message{{Role: llm.User, Text: "tools"}}}, nil)
	require.ErrorContains(t, err, "holds no such request")
	m.(*openai.Client).Close()
	stop()
	err = played.Verify()
	require.ErrorContains(t, err, "exchange 3 was not requested")
	require.ErrorContains(t, err, "not recorded: POST /v1/chat/completions")
}

func TestCassette_ReadRefuses(t *testing.T) {
	t.Parallel()
	const first = `{"cassette":1,"base":"/v1"}` + "\n"
	for name, test := range map[string]struct{ text, says string }{
		"nothing":         {"", "nothing is recorded"},
		"a title alone":   {first, "nothing is recorded"},
		"another version": {`{"cassette":2}`, "line 1: it is no cassette"},
		"no title":        {`{"hash":"a","status":200}`, "line 1: it is no cassette"},
		"no exchange":     {first + "{", "line 2: it is no exchange"},
		"no hash":         {first + `{"status":200}`, "line 2: it is no exchange"},
		"another field":   {first + `{"hash":"a","status":200,"authorization":"x"}`, "line 2: it is no exchange"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := cassette.Read("tape", strings.NewReader(test.text))
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestCassette_RecordRefuses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "api.openai.com/v1", "ftp://a", "http://me:pw@a/v1", "http://"} {
		_, err := cassette.NewRecorder(base, &bytes.Buffer{}, time.Now)
		require.Error(t, err, base)
		require.NotContains(t, err.Error(), "pw")
	}
}

var errFull = errors.New("no space left on device")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestCassette_ReportsAFullDisk(t *testing.T) {
	t.Parallel()
	_, err := cassette.NewRecorder("http://127.0.0.1:1", full{}, time.Now)
	require.ErrorIs(t, err, errFull)
}

// FuzzCassette_Read checks that what is accepted can be played to its end.
func FuzzCassette_Read(f *testing.F) {
	f.Add([]byte(`{"cassette":1}` + "\n" + `{"number":1,"hash":"a","status":200,"body":[{"ms":1,"text":"a"},{"ms":2,"bytes":"/w=="}]}`))
	f.Add([]byte(`{"cassette":1}` + "\n" + `{"hash":"a","status":429,"header":{"Retry-After":"1"},"broken":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := cassette.Read("fuzz", bytes.NewReader(data))
		if err == nil {
			require.Error(t, c.Verify(), "there is something on it")
		}
	})
}

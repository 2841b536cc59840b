package ollama_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/ollama"
	"forge/engine/llm/wire"
)

const tagged = `{"models":[
	{"name":"qwen3:8b","model":"qwen3:8b","size":5225388164,"details":{"family":"qwen3","families":["qwen3"],"parameter_size":"8.2B","quantization_level":"Q4_K_M"}},
	{"name":"gpt-oss:120b-cloud","remote_model":"gpt-oss:120b","remote_host":"https://ollama.com:443","size":384,"details":{"family":"gptoss"}},
	{"name":"deepseek-v3.1:671b-cloud","size":405},
	{"name":""},{"name":"a\u001b[2J"},{"name":"\u202eb"}]}`

// site is a server with one body for each path.
func site(t testing.TB, paths map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	for path, handler := range paths {
		mux.HandleFunc(path, handler)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// showing is a server that answers /api/show in one way, and every chat; it notes all calls.
func showing(t testing.TB, code int, show string) (base string, calls func() []seen) {
	t.Helper()
	arrived := make(chan seen, 100)
	noted := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			got := seen{path: r.URL.Path, header: r.Header}
			raw, _ := io.ReadAll(r.Body)
			_ = json.Unmarshal(raw, &got.body)
			arrived <- got
			next(w, r)
		}
	}
	base = site(t, map[string]http.HandlerFunc{"/api/show": noted(answers(code, show)), "/api/chat": noted(lines(end))})
	return base, func() []seen {
		all := make([]seen, len(arrived))
		for i := range all {
			all[i] = <-arrived
		}
		return all
	}
}

func TestInventory_Tags(t *testing.T) {
	t.Parallel()
	got, err := ollama.Tags(t.Context(), wire.Options{BaseURL: site(t, map[string]http.HandlerFunc{"GET /api/tags": sent(tagged)}) + "/v1"})
	require.NoError(t, err)
	want := []ollama.Model{
		{Name: "qwen3:8b"},
		{Name: "gpt-oss:120b-cloud", Remote: true},
		{Name: "deepseek-v3.1:671b-cloud", Remote: true},
	}
	require.Empty(t, cmp.Diff(want, got))
}

func TestInventory_TagsOfOtherServers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		fails   bool
	}{
		"no models":    {sent(`{"models":[]}`), false},
		"null":         {sent(`{"models":null}`), false},
		"a web server": {sent("<html>"), true},
		"wrong path":   {answers(404, "nothing here"), true},
		"cut":          {sent(`{"models":[{"name":"a"}`), true},
		"a login":      {answers(401, ""), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ollama.Tags(t.Context(), wire.Options{BaseURL: site(t, map[string]http.HandlerFunc{"GET /api/tags": test.handler})})
			require.Equal(t, test.fails, err != nil, "%v", err)
			require.Empty(t, got)
		})
	}
}

func TestInventory_TagsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	base := site(t, map[string]http.HandlerFunc{"/": func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := ollama.Tags(ctx, wire.Options{BaseURL: base})
	require.ErrorIs(t, err, context.Canceled)

	_, err = ollama.Tags(t.Context(), wire.Options{BaseURL: "http://127.0.0.1:1"})
	require.ErrorContains(t, err, "nothing listens")
}

func TestInventory_Warm(t *testing.T) {
	t.Parallel()
	base, calls := recorded(t, `{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done_reason":"load","done":true}`)
	c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: base, Key: key, Model: "qwen3:8b"}, Window: window})
	defer c.Close()
	require.NoError(t, c.Warm(t.Context(), ask("n")))
	_, err := c.Complete(t.Context(), ask("n"), nil)
	require.Equal(t, llm.KindTransient, failure(t, err).Kind) // this server only loads
	got := calls()
	require.Len(t, got, 2)
	require.JSONEq(t, `[]`, string(got[0].body["messages"]))
	require.JSONEq(t, `{"num_ctx":8192}`, string(got[0].body["options"]))
	require.Equal(t, got[0].option("num_ctx"), got[1].option("num_ctx"), "another context loads the model again")
}

func TestInventory_Loaded(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"models":[]}`: false,
		`{"models":[{"name":"llama3:latest"},{"name":"qwen3:8b","context_length":8192}]}`: true,
		`{"models":[{"name":"qwen3:8b","context_length":4096}]}`:                          false, // a call would load it again
		`{"models":[{"name":"qwen3:8b"}]}`:                                                true,
		`{"models":[{"name":"qwen3:latest"}]}`:                                            false,
	} {
		got, err := client(t, site(t, map[string]http.HandlerFunc{"GET /api/ps": sent(body)})).Loaded(t.Context(), ask("n"))
		require.NoError(t, err)
		require.Equal(t, want, got, body)
	}
	latest := ollama.New(ollama.Options{Options: wire.Options{
		Model: "library/qwen3", BaseURL: site(t, map[string]http.HandlerFunc{"GET /api/ps": sent(`{"models":[{"name":"library/qwen3:latest"}]}`)}),
	}})
	defer latest.Close()
	got, err := latest.Loaded(t.Context(), ask("n"))
	require.NoError(t, err)
	require.True(t, got)

	// A request that asks for another context is not served at once, and what does not fit at all is not asked about.
	base := site(t, map[string]http.HandlerFunc{"GET /api/ps": sent(`{"models":[{"name":"qwen3:8b","context_length":8192}]}`)})
	long := ask("n")
	long.Messages = []llm.Message{{Role: llm.User, Text: strings.Repeat("word ", 6000)}}
	got, err = client(t, base).Loaded(t.Context(), long)
	require.NoError(t, err)
	require.False(t, got)
	long.Messages[0].Text = strings.Repeat("word ", 1<<20)
	_, err = client(t, base).Loaded(t.Context(), long)
	require.Equal(t, llm.KindOverflow, failure(t, err).Kind)

	_, err = client(t, site(t, nil)).Loaded(t.Context(), ask("n"))
	require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
}

// TestInventory_TheScriptedModelIsLoaded warms up a server that others wrote: its script is not asked for that.
func TestInventory_TheScriptedModelIsLoaded(t *testing.T) {
	t.Parallel()
	script, err := llmtest.New(llmtest.Entry{Reply: &llmtest.Reply{Text: "a"}})
	require.NoError(t, err)
	server := httptest.NewServer(llmtest.Handler(script, nil))
	t.Cleanup(server.Close)
	c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: server.URL, Model: llmtest.DefaultModel}})
	defer c.Close()
	loaded := func(want bool) {
		got, err := c.Loaded(t.Context(), ask("n"))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	loaded(false)
	require.NoError(t, c.Warm(t.Context(), ask("n")))
	loaded(true)
	require.Empty(t, script.Requests())
	_, err = c.Complete(t.Context(), ask("n"), nil)
	require.NoError(t, err)
	require.NoError(t, script.Verify())
}

// TestInventory_TheScriptedModelIsFound asks a server that others wrote.
func TestInventory_TheScriptedModelIsFound(t *testing.T) {
	t.Parallel()
	script, err := llmtest.New(llmtest.Entry{Reply: &llmtest.Reply{Text: "a"}})
	require.NoError(t, err)
	server := httptest.NewServer(llmtest.Handler(script, nil))
	t.Cleanup(server.Close)
	found, err := ollama.Tags(t.Context(), wire.Options{BaseURL: server.URL})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, llmtest.DefaultModel, strings.TrimSuffix(found[0].Name, ":latest"))
}

func TestInventory_WarmFails(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]string{
		`{"error":"model 'qwen3:8b' not found"}`:                           "`ollama pull qwen3:8b`",
		`{"error":"model requires more system memory than is available"}`:  "choose a smaller one",
		`{"error":"timed out waiting for llama runner to start: loading"}`: "timed out",
	} {
		code := 500
		if says[0] == '`' {
			code = 404
		}
		require.ErrorContains(t, client(t, serve(t, answers(code, body))).Warm(t.Context(), ask("n")), says)
	}
	require.ErrorContains(t, client(t, serve(t, sent(`{"done":false}`))).Warm(t.Context(), ask("n")), "broke off")
}

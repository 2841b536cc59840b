package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// provider is a server of models that a test makes: with which key, and how it misbehaves.
type provider struct {
	*httptest.Server
	mu    sync.Mutex // guards asked
	asked []string   // "GET /v1/models"
}

func serve(t *testing.T, tls bool, handle http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.URL.Path)
		p.mu.Unlock()
		handle(w, r)
	})
	if p.Server = httptest.NewUnstartedServer(handler); tls {
		p.Config.ErrorLog = silentLog()
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

func (p *provider) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.asked...)
}

// answerJSON answers with a status and a document.
func answerJSON(w http.ResponseWriter, status int, document string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, document)
}

// listing is a provider that takes one key and has two models, none of which it answers for.
func listing(key string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			answerJSON(w, 401, `{"error": {"message": "Incorrect API key provided", "type": "invalid_request_error", "code": "invalid_api_key"}}`)
		case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
			answerJSON(w, 200, `{"object": "list", "data": [{"id": "gpt-4o-mini"}, {"id": "gpt-4o"}]}`)
		case r.URL.Path == "/v1/chat/completions":
			answerJSON(w, 404, `{"error": {"message": "The model does not exist", "type": "invalid_request_error", "code": "model_not_found"}}`)
		default:
			http.NotFound(w, r)
		}
	}
}

// modelsWorld is a folder without the scripted model: only what env says is there.
func modelsWorld(t *testing.T, env ...string) *world {
	t.Helper()
	w := &world{t: t, root: filepath.Join(t.TempDir(), "project"), home: t.TempDir(), journal: newJournal()}
	require.NoError(t, os.Mkdir(w.root, 0o755))
	w.put(sumModule())
	clean := []string{
		"FORGE_BASE_URL", "FORGE_MODEL", "FORGE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "MINIMAX_API_KEY",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "FORGE_HOME=" + w.home, "FORGE_KEYCHAIN=off",
		"OLLAMA_HOST=127.0.0.1:1", // an unused port: an Ollama of this machine must not be found
	}
	w.environ = changed(changed(os.Environ(), clean), env)
	return w
}

// A fault of a provider has one message, in each of the commands that meet it.
func TestProviders_ReportTheSameErrorInEveryCommand(t *testing.T) {
	t.Parallel()
	html := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Please log in to the Wi-Fi</body></html>")
	}
	good := serve(t, false, listing(canary))
	portal := serve(t, false, html)
	private := serve(t, true, listing(canary))
	const nobody = "http://127.0.0.1:1" // a port that is never assigned
	tests := map[string]struct {
		env    []string
		models string // what models and doctor say; empty is that nothing is wrong for them
		run    string // what run says; empty is that it is not tried
	}{
		"no key":                 {[]string{"FORGE_BASE_URL=" + good.URL + "/v1"}, "requires a key, and none is set", "requires a key, and none is set"},
		"a wrong key":            {[]string{"FORGE_BASE_URL=" + good.URL + "/v1", "FORGE_API_KEY=" + canary + "x"}, "does not accept the key", "does not accept the key"},
		"a wrong URL":            {[]string{"FORGE_BASE_URL=" + good.URL + "/wrong", "FORGE_API_KEY=" + canary}, "it usually ends in /v1", "it usually ends in /v1"},
		"a captive portal":       {[]string{"FORGE_BASE_URL=" + portal.URL + "/v1", "FORGE_API_KEY=" + canary}, "a web page", "a web page"},
		"no such model":          {[]string{"FORGE_BASE_URL=" + good.URL + "/v1", "FORGE_API_KEY=" + canary}, "", `no model called "house-model"`},
		"a private CA":           {[]string{"FORGE_BASE_URL=" + private.URL + "/v1", "FORGE_API_KEY=" + canary}, "is not trusted", "is not trusted"},
		"no server":              {[]string{"FORGE_BASE_URL=" + nobody + "/v1", "FORGE_API_KEY=" + canary}, "nothing listens at", ""},
		"a proxy that is gone":   {[]string{"FORGE_BASE_URL=https://api.example/v1", "FORGE_API_KEY=" + canary, "HTTPS_PROXY=" + nobody}, "check HTTPS_PROXY", ""},
		"a proxy that is none":   {[]string{"FORGE_BASE_URL=https://api.example/v1", "HTTPS_PROXY=ftp://me:" + canary + "@h"}, "set network.proxy or HTTPS_PROXY", "set network.proxy or HTTPS_PROXY"},
		"a CA that is not there": {[]string{"FORGE_BASE_URL=" + private.URL + "/v1", "SSL_CERT_FILE=/gone/ca.pem"}, "set network.caFile or SSL_CERT_FILE", "set network.caFile or SSL_CERT_FILE"},
		"a service without key":  {[]string{"FORGE_MODEL=anthropic/claude-sonnet-4-5"}, "", "there is no key for Anthropic: run forge setup anthropic, or set ANTHROPIC_API_KEY"},
	}
	for name, test := range testkit.SampleMap(3, tests) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := modelsWorld(t, append([]string{"FORGE_MODEL=house-model"}, test.env...)...)
			once := func(says string, wantCode int, args ...string) {
				code, stdout, stderr := w.run(args...)
				require.Equal(t, wantCode, code, stdout+stderr)
				require.Equal(t, 1, strings.Count(stdout+stderr, says), "%v: %s%s", args, stdout, stderr)
				readsWell(t, stdout+stderr)
			}
			if test.models != "" {
				once(test.models, 1, "models", "--provider", "forge")
				once(test.models, 1, "models", "--provider", "forge", "--json")
				code, stdout, stderr := w.run("doctor")
				require.Equal(t, 1, code, stdout+stderr)
				require.Contains(t, stdout, test.models)
				readsWell(t, stdout+stderr)
			}
			if test.run != "" {
				code, stdout, stderr := w.run("run", "--trust", "--yes", "add Add")
				require.Equal(t, 3, code, stdout+stderr)
				lines := strings.Split(strings.TrimSpace(stderr), "\n")
				require.Equal(t, 1, strings.Count(strings.Join(lines[max(0, len(lines)-3):], "\n"), test.run), stderr)
				readsWell(t, stdout+stderr)
			}
		})
	}
}

// caOf writes what the server's certificate is trusted by into a file.
func caOf(t *testing.T, p *provider) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pemOf(p.Certificate().Raw), 0o600))
	return file
}

func TestNetwork_SupportsAPrivateCAAndAProxy(t *testing.T) {
	t.Parallel()
	private := serve(t, true, listing(canary))
	through := newTunnel(t, private.Listener.Addr().String())
	tests := map[string]struct {
		base   string
		env    []string
		config string
		proxy  bool
	}{
		"SSL_CERT_FILE":  {private.URL, []string{"SSL_CERT_FILE=" + caOf(t, private)}, "", false},
		"network.caFile": {private.URL, []string{"CA=" + caOf(t, private)}, "network: {caFile: '${CA}'}\n", false},
		"HTTPS_PROXY":    {"https://example.com", []string{"SSL_CERT_FILE=" + caOf(t, private), "HTTPS_PROXY=" + through.URL}, "", true},
		"network.proxy":  {"https://example.com", []string{"SSL_CERT_FILE=" + caOf(t, private)}, "network: {proxy: '" + through.URL + "'}\n", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := modelsWorld(t, append([]string{"FORGE_BASE_URL=" + test.base + "/v1", "FORGE_API_KEY=" + canary, "FORGE_MODEL=gpt-4o"}, test.env...)...)
			require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(test.config), 0o600))
			before := through.count()
			code, stdout, stderr := w.run("models", "--provider", "forge")
			require.Equal(t, 0, code, stdout+stderr)
			require.Contains(t, stdout, "forge/gpt-4o-mini")
			require.Equal(t, test.proxy, through.count() > before)
		})
	}
}

// Offline, nothing leaves this machine: whatever would, would go through the proxy, which counts.
func TestOffline_OpensNoConnection(t *testing.T) {
	t.Parallel()
	through := newTunnel(t, "127.0.0.1:1")
	env := []string{
		"HTTPS_PROXY=" + through.URL, "HTTP_PROXY=" + through.URL, "OPENAI_API_KEY=" + canary, "ANTHROPIC_API_KEY=" + canary,
		"MINIMAX_API_KEY=" + canary, "OPENAI_BASE_URL=http://api.example/v1",
	}
	offline := modelsWorld(t, append([]string{"FORGE_OFFLINE=1"}, env...)...)
	require.NoError(t, os.WriteFile(filepath.Join(offline.home, "config.yaml"), []byte("models: {fallback: openai/gpt-4o}\n"), 0o600))
	for _, args := range [][]string{{"models"}, {"doctor"}, {"run", "--trust", "--yes", "add Add"}, {"models", "--provider", "openai"}} {
		code, stdout, stderr := offline.run(args...)
		require.NotZero(t, code, stdout+stderr)
		require.Contains(t, stdout+stderr, "ffline")
		readsWell(t, stdout+stderr)
	}
	flagged := modelsWorld(t, env...)
	code, _, stderr := flagged.run("run", "--offline", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code, stderr)
	for _, args := range [][]string{{"resume"}, {"ask", "--offline", "--trust", "what adds?"}, {"resume", asked[api.RunsResult](flagged, "runs").Runs[0].RunID}} {
		code, _, stderr = flagged.run(args...)
		require.Equal(t, 3, code, stderr)
	}
	require.Contains(t, flagged.said(2, "resume", asked[api.RunsResult](flagged, "runs").Runs[0].RunID, "--offline=false"), "the run was started with --offline, and stays offline")
	require.Zero(t, through.count(), "nothing was connected to, also when a run is resumed without its flag")

	_, _, _ = flagged.run("models") // the twin: online the same providers are asked
	require.NotZero(t, through.count())
}

// A resumed run asks the model that the user named for it, unless they name another one.
func TestModel_OfTheCommandLineHoldsWhenTheRunIsResumed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var models []string
	hosted := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answerJSON(w, 200, `{"object": "list", "data": [{"id": "named"}, {"id": "other"}, {"id": "usual"}, {"id": "thinker"}]}`)
			return
		}
		var body struct{ Model string }
		if json.NewDecoder(r.Body).Decode(&body) == nil {
			mu.Lock()
			models = append(models, body.Model)
			mu.Unlock()
		}
		answerJSON(w, 404, `{"error": {"message": "The model does not exist", "type": "invalid_request_error", "code": "model_not_found"}}`)
	})
	w := modelsWorld(t, "OPENAI_API_KEY="+canary, "OPENAI_BASE_URL="+hosted.URL+"/v1")
	w.settings("models: {default: openai/usual, tiers: {reasoning: openai/thinker}}\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--trust", "--yes", "--model", "openai/named", "add Add"}, "named"},
		{[]string{"resume"}, "named"},
		{[]string{"resume", "--model", "openai/other"}, "other"},
		{[]string{"resume"}, "named"},
		{[]string{"run", "--yes", "add Sub"}, "usual"},
	} {
		code, _, stderr := w.run(c.args...)
		require.Equal(t, 3, code, stderr)
		mu.Lock()
		require.NotEmpty(t, models, c.args)
		require.Subset(t, []string{c.want}, models, c.args)
		models = nil
		mu.Unlock()
	}
}

// ollamaWith is an Ollama with the given models, as its own API lists them.
func ollamaWith(t *testing.T, models ...string) *provider {
	t.Helper()
	type tag struct {
		Name string `json:"name"`
	}
	return serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		tags := []tag{}
		for _, m := range models {
			tags = append(tags, tag{m})
		}
		if r.URL.Path != "/api/tags" {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"models": tags})
	})
}

func TestModelsCommand_ListsModelsPerTier(t *testing.T) {
	t.Parallel()
	local := ollamaWith(t, "qwen2.5-coder:7b", "llama3.1:8b", "nomic-embed-text")
	hosted := serve(t, false, listing(canary))
	w := modelsWorld(t, "OLLAMA_HOST="+local.URL, "OPENAI_API_KEY="+canary, "OPENAI_BASE_URL="+hosted.URL+"/v1")
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(`
models:
  default: openai/gpt-4o-mini
  tiers: {generation: "ollama/qwen2.5-coder:32b"}
  fallback: ollama/llama3.1:8b
  tier: none
`), 0o600))
	code, stdout, stderr := w.run("models")
	require.Equal(t, 0, code, stdout+stderr)
	require.Regexp(t, `config\.yaml:6: unknown setting "tier"; the settings here are cache, default, delivery`, stderr)
	require.Regexp(t, `openai\s+answers\s+127\.0\.0\.1:\d+\s+OPENAI_API_KEY\s+gpt-4o-mini, gpt-4o`, stdout)
	require.Regexp(t, `ollama\s+answers .*qwen2\.5-coder:7b`, stdout)
	require.Regexp(t, `reasoning\s+openai/gpt-4o-mini .*planner.*models\.default`, stdout)
	require.Regexp(t, `generation\s+ollama/qwen2\.5-coder:7b\s+32k\s+free\s+executor.*replaces qwen2\.5-coder:32b`, stdout)
	require.Regexp(t, `fallback\s+ollama/llama3\.1:8b\s+131k\s+free`, stdout)
	readsWell(t, stdout+stderr)

	code, stdout, _ = w.run("models", "--local", "--json")
	require.Equal(t, 0, code)
	var found struct {
		Providers []struct {
			Name   string
			Local  bool
			Models []struct {
				Name, Family, Class string
				Window              int
				Tiers               []string
			}
		}
		Tiers []struct{ Tier, Model, Notice string }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &found))
	for _, p := range found.Providers {
		require.True(t, p.Local)
		if p.Name == "ollama" {
			require.Equal(t, "qwen-coder", p.Models[0].Family)
			require.Equal(t, "code", p.Models[0].Class)
			require.Equal(t, "generation", p.Models[0].Tiers[0])
		}
	}
	require.Contains(t, found.Tiers[1].Notice, "replaces it")

	code, _, stderr = w.run("models", "--provider", "nobody")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "--provider nobody: unknown; the providers are ")
}

// A folder's own settings apply if the user trusts it, and never decide where prompts are sent.
func TestProjectSettings_ApplyOnlyWhenTrusted(t *testing.T) {
	t.Parallel()
	local := ollamaWith(t, "llama3.1:8b", "qwen2.5-coder:7b")
	evil := serve(t, false, listing("k"))
	w := modelsWorld(t, "OLLAMA_HOST="+local.URL, "FORGE_MODEL=")
	w.put(map[string]string{".forge/config.yaml": "models: {default: ollama/llama3.1:8b}\nproviders:\n- {name: x, kind: openai-compatible, baseURL: '" + evil.URL + "/v1'}\n"})
	code, stdout, stderr := w.run("models")
	require.Equal(t, 0, code, stderr)
	require.Regexp(t, `generation\s+ollama/qwen2\.5-coder:7b`, stdout, "nothing of an untrusted folder is read")
	require.NotContains(t, stderr, ".forge")
	_, _, _ = w.run("run", "--trust", "--yes", "add Add")
	code, stdout, stderr = w.run("models")
	require.Equal(t, 0, code, stderr)
	require.Regexp(t, `generation\s+ollama/llama3\.1:8b`, stdout)
	require.Contains(t, stderr, `.forge/config.yaml:2: "providers" is refused`)
	require.Empty(t, evil.requests())
}

// Each kind of provider is asked in its own way, with its own key.
func TestProviders_EachKindUsesItsAPIAndKey(t *testing.T) {
	t.Parallel()
	anthropic := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("X-Api-Key") != canary {
			answerJSON(w, 401, `{"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}`)
			return
		}
		answerJSON(w, 200, `{"data": [{"type": "model", "id": "claude-sonnet-4-5", "display_name": "C", "created_at": "2025-09-29T00:00:00Z"}], "has_more": false, "first_id": "claude-sonnet-4-5", "last_id": "claude-sonnet-4-5"}`)
	})
	minimax := serve(t, false, listing(canary+"m"))
	tools := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(tools, "mmx"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	w := modelsWorld(t, "ANTHROPIC_API_KEY="+canary, "ANTHROPIC_BASE_URL="+anthropic.URL, "MINIMAX_API_KEY="+canary+"m",
		"MINIMAX_BASE_URL="+minimax.URL+"/v1", "PATH="+tools+":"+os.Getenv("PATH"))
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte("providers: [{name: mmx}]\nmodels: {default: anthropic/claude-sonnet-4-5}\n"), 0o600))
	code, stdout, stderr := w.run("models")
	require.Equal(t, 0, code, stdout+stderr)
	require.Regexp(t, `anthropic\s+answers\s+\S+\s+ANTHROPIC_API_KEY\s+claude-sonnet-4-5`, stdout)
	require.Regexp(t, `minimax\s+answers\s+\S+\s+MINIMAX_API_KEY\s+gpt-4o-mini, gpt-4o`, stdout)
	require.Regexp(t, `mmx\s+answers\s+the command mmx\s+MINIMAX_API_KEY\s+MiniMax-M2\.7`, stdout)
	require.Regexp(t, `executor.*anthropic|generation\s+anthropic/claude-sonnet-4-5`, stdout)
	readsWell(t, stdout+stderr)

	gone := modelsWorld(t, "PATH="+only("git"))
	require.NoError(t, os.WriteFile(filepath.Join(gone.home, "config.yaml"), []byte("providers: [{name: mmx, key: '${MINIMAX_API_KEY}'}]\n"), 0o600))
	code, _, stderr = gone.run("models")
	require.Equal(t, 3, code)
	require.Contains(t, stderr, "there is no key for mmx: set MINIMAX_API_KEY")
}

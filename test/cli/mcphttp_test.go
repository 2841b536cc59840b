package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// accessToken is what the server of notes over HTTP requires.
const accessToken = "granted-to-forge-4711-abcdef"

// notesSite serves notes over HTTP to clients that are logged in, and is its own authorization server, which asks nobody.
func notesSite(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	paths := http.NewServeMux()
	site := httptest.NewServer(paths)
	t.Cleanup(site.Close)
	show := func(path string, value any) {
		paths.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(value)
		})
	}
	show("GET /.well-known/oauth-protected-resource/mcp", map[string]any{"resource": site.URL + "/mcp", "authorization_servers": []string{site.URL}})
	show("GET /.well-known/oauth-authorization-server", map[string]any{
		"issuer": site.URL, "authorization_endpoint": site.URL + "/authorize", "token_endpoint": site.URL + "/token",
		"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"client_secret_post"},
	})
	show("POST /token", map[string]any{"access_token": accessToken, "token_type": "Bearer", "expires_in": 3600})
	paths.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {q.Get("client_id")}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	paths.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+accessToken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var answer strings.Builder
		if serveNotes(dir, body, &answer); answer.Len() == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer.String())
	})
	return site
}

// login logs in to the server of notes with a browser that opens the address that it is shown.
func (w *world) login() {
	w.t.Helper()
	c := w.command(w.t.Context(), "mcp", "login", "notes", "--client-id", "forge-in-a-test")
	said, err := c.StdoutPipe()
	require.NoError(w.t, err)
	require.NoError(w.t, c.Start())
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		response, err := http.Get(lines.Text())
		require.NoError(w.t, err)
		require.NoError(w.t, response.Body.Close())
		require.Equal(w.t, http.StatusOK, response.StatusCode)
	}
	require.NoError(w.t, c.Wait())
}

// A model calls a tool of a server over HTTP after its user has logged in to it. The token is in no file as it is.
func TestRun_CallsAnMCPToolOverHTTP(t *testing.T) {
	t.Parallel()
	w := scripted(t, wantsToNote("noted: HELLO"), sumModule())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "about"), []byte("Keeps a note."), 0o600))
	site := notesSite(t, dir)
	for _, address := range []string{"http://mcp.example/mcp", "https://me:secret@mcp.example/mcp", "ftp://localhost"} {
		_, said := w.mcp(2, "add", "notes", "--url", address)
		require.NotContains(t, said, "Usage:")
	}
	w.mcp(0, "add", "notes", "--url", site.URL+"/mcp")
	_, said := w.mcp(1, "status")
	require.Contains(t, said, "the server requires a login (401): log in with forge mcp login notes")
	w.login()
	w.accept()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--profile", "tooluse", "--mode", "heavy", "--allow-mcp", "add Add to package sum")
	require.Zero(t, code, stderr)
	require.NotContains(t, stdout+stderr, accessToken)
	notes, err := os.ReadFile(filepath.Join(dir, "notes"))
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(notes))
	w.played()
	w.keepsNone(accessToken)

	w.mcp(0, "remove", "notes")
	w.mcp(0, "add", "notes", "--url", site.URL+"/mcp")
	_, said = w.mcp(1, "status")
	require.Contains(t, said, "requires a login", "the token was removed with the server")
}

// In a run that is offline no server elsewhere is called.
func TestRun_CallsNoMCPToolElsewhereOffline(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"in an offline mode": {"--mode", "offline-safe"}, "with --offline": {"--offline"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, wantsToNote("Forge is offline"), sumModule())
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "about"), []byte("Keeps a note."), 0o600))
			site := notesSite(t, dir)
			w.mcp(0, "add", "notes", "--url", site.URL+"/mcp")
			w.login()
			w.accept()
			servers := filepath.Join(w.home, "mcp_servers.yaml")
			text, err := os.ReadFile(servers)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(servers, []byte(strings.Replace(string(text), site.URL, "https://192.0.2.1", 1)), 0o600))
			code, _, stderr := w.run(append([]string{"run", "--yes", "--trust", "--profile", "tooluse", "--allow-mcp", "add Add to package sum"}, flags...)...)
			require.Zero(t, code, stderr)
			w.played()
		})
	}
}

// keepsNone fails if a file of Forge's contains a text.
func (w *world) keepsNone(text string) {
	w.t.Helper()
	require.NoError(w.t, filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		require.NotContains(w.t, string(data), text, path)
		return err
	}))
}

func TestMCPCommand_SendsAHeaderAndHonoursOffline(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	dir := t.TempDir()
	site := notesSite(t, dir)
	w.mcp(0, "add", "notes", "--url", site.URL+"/mcp")
	w.mcp(0, "add", "far", "--url", "https://192.0.2.1/mcp")
	_, said := w.mcp(2, "header", "notes", "Authorization")
	require.Contains(t, said, "--stdin")
	w.environ = append(w.environ, "FORGE_OFFLINE=1", "NOTES=Bearer "+accessToken)
	w.mcp(0, "header", "notes", "Authorization", "--from-env", "NOTES")
	out, said := w.mcp(1, "status")
	require.Regexp(t, `notes +add +new`, out, "a server on this machine is no other one")
	require.Contains(t, said, "far failed:")
	require.Contains(t, said, "Forge is offline")
	w.keepsNone(accessToken)
	_, said = w.mcp(2, "login", "nobody")
	require.Contains(t, said, "no server named")
}

package mcp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"forge/engine/mcp"

	"github.com/stretchr/testify/require"
)

// authority is an authorization server, and the metadata of a site. It lies as lie says.
type authority struct {
	*httptest.Server
	t    *testing.T
	site *site
	lie  string

	mu        sync.Mutex
	challenge string
	refreshed int
	resources []string // of requests for tokens
}

// newAuthority returns a site that requires a login, with its authorization server.
func newAuthority(t *testing.T, lie string) *authority {
	t.Helper()
	a := &authority{t: t, site: &site{how: "honest", token: "t1"}, lie: lie}
	paths := http.NewServeMux()
	a.Server = httptest.NewServer(paths)
	t.Cleanup(a.Close)
	paths.HandleFunc("/mcp", a.site.serve)
	paths.HandleFunc("/metadata", a.resource)
	paths.HandleFunc("/.well-known/oauth-authorization-server", a.metadata)
	paths.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"client_id":"c1","token_endpoint_auth_method":"none","redirect_uris":[]}`)
	})
	paths.HandleFunc("/authorize", a.authorize)
	paths.HandleFunc("/token", a.token)
	a.site.Server = a.Server
	a.site.elsewhere = a.URL + "/metadata"
	if lie == "metadata elsewhere" {
		a.site.elsewhere = newSite(t, "honest").URL + "/metadata"
	}
	return a
}

func (a *authority) write(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func (a *authority) resource(w http.ResponseWriter, r *http.Request) {
	m := map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}}
	switch a.lie {
	case "other resource":
		m["resource"] = "https://bank.example/mcp"
	case "metadata of the cloud":
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		return
	case "private authority":
		m["authorization_servers"] = []string{"https://10.0.0.1"}
	case "plain authority":
		m["authorization_servers"] = []string{"http://auth.example"}
	case "endless metadata":
		w.Header().Set("Content-Type", "application/json")
		for {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
				return
			}
		}
	}
	a.write(w, m)
}

func (a *authority) metadata(w http.ResponseWriter, _ *http.Request) {
	m := map[string]any{
		"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
	}
	switch a.lie {
	case "other issuer":
		m["issuer"] = "https://bank.example"
	case "no PKCE":
		delete(m, "code_challenge_methods_supported")
	case "script":
		m["authorization_endpoint"] = "javascript:alert(1)"
	case "plain page":
		m["authorization_endpoint"] = "http://auth.example/authorize"
	}
	a.write(w, m)
}

func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	a.mu.Lock()
	a.challenge = q.Get("code_challenge")
	a.resources = append(a.resources, q.Get("resource"))
	a.mu.Unlock()
	if q.Get("code_challenge_method") != "S256" {
		http.Error(w, "S256", http.StatusBadRequest)
		return
	}
	answer := url.Values{"code": {"one"}, "state": {q.Get("state")}}
	switch a.lie {
	case "wrong state":
		answer.Set("state", "guessed")
	case "other issuer in the answer":
		answer.Set("iss", "https://bank.example")
	case "denies":
		answer = url.Values{"error": {"access_denied"}, "error_description": {"not \x1b[31myou"}, "state": {q.Get("state")}}
	default:
		answer.Set("iss", a.URL)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.resources = append(a.resources, r.PostForm.Get("resource"))
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	answer := map[string]any{"access_token": "t1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r1"}
	switch grant := r.PostForm.Get("grant_type"); {
	case grant == "refresh_token" && r.PostForm.Get("refresh_token") == fmt.Sprint("r", a.refreshed+1) && a.lie != "revoked":
		a.refreshed++
		answer["access_token"], answer["refresh_token"] = fmt.Sprint("t", a.refreshed+1), fmt.Sprint("r", a.refreshed+1)
		a.site.mu.Lock()
		a.site.token = fmt.Sprint("t", a.refreshed+1)
		a.site.mu.Unlock()
	case grant != "authorization_code" || r.PostForm.Get("code") != "one" || base64.RawURLEncoding.EncodeToString(sum[:]) != a.challenge:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
		return
	}
	switch a.lie {
	case "token for another resource":
		answer["access_token"] = "t9"
	case "other kind of token":
		answer["token_type"] = "mac"
	case "redirected token":
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
		return
	}
	a.write(w, answer)
}

func (a *authority) server() mcp.Server { return mcp.Server{Name: "t", URL: a.URL + "/mcp"} }

// login logs in, with a browser that opens each address that it is shown.
func (a *authority) login(k mcp.Keys) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	return mcp.Login(a.t.Context(), remoteOptions(a.t, k), a.server(), "", func(address string) {
		response, err := (&http.Client{Transport: transport}).Get(address)
		require.NoError(a.t, err)
		_ = response.Body.Close()
	})
}

func TestLogin_GetsATokenForTheServer(t *testing.T) {
	t.Parallel()
	a, kept := newAuthority(t, ""), &vault{}
	c := remoteCaller(t, a.site, kept, 0)
	require.Contains(t, c.call().Text, "the server requires a login (401): log in with forge mcp login t")
	require.Zero(t, a.site.calls.Load())

	require.NoError(t, a.login(kept))
	require.Equal(t, []string{a.URL + "/mcp", a.URL + "/mcp"}, a.resources)
	require.Equal(t, "done", remoteCaller(t, a.site, kept, 0).call().Text)
	require.Contains(t, mcp.Secrets(kept.kept["t"]), "t1")
	require.Contains(t, mcp.Secrets(kept.kept["t"]), "r1")

	other := newSite(t, "honest")
	require.Equal(t, "done", remoteCaller(t, other, kept, 0).call().Text, "the same name, another address")
	for _, h := range other.headers {
		require.Empty(t, h.Get("Authorization"))
	}
}

// A token that has expired, or that the server rejects, is renewed once, for the same server; what is granted is kept for the next run.
func TestLogin_IsRenewed(t *testing.T) {
	t.Parallel()
	a, kept := newAuthority(t, ""), &vault{}
	require.NoError(t, a.login(kept))
	kept.kept["t"] = strings.Replace(kept.kept["t"], `"expiry":"2`, `"expiry":"1`, 1)
	require.Equal(t, "done", remoteCaller(t, a.site, kept, 0).call().Text)
	require.Equal(t, 1, a.refreshed, "it had expired")
	require.Equal(t, "done", remoteCaller(t, a.site, kept, 0).call().Text)
	require.Equal(t, 1, a.refreshed, "the new one was kept")

	c := remoteCaller(t, a.site, kept, 0)
	require.Equal(t, "done", c.call().Text)
	a.site.mu.Lock()
	a.site.token = "t7"
	a.site.mu.Unlock()
	require.Equal(t, "done", c.call().Text)
	require.Equal(t, 2, a.refreshed, "the server rejected it")
	for _, resource := range a.resources {
		require.Equal(t, a.URL+"/mcp", resource)
	}

	a.lie = "revoked"
	a.site.mu.Lock()
	a.site.token = "t8"
	a.site.mu.Unlock()
	answer := remoteCaller(t, a.site, kept, 0).call()
	require.True(t, answer.Failed)
	require.Contains(t, answer.Text, "the login could not be renewed")
	require.Contains(t, answer.Text, "forge mcp login t")
}

func TestLogin_IsRefusedIfAServerLies(t *testing.T) {
	t.Parallel()
	for lie, want := range map[string]string{
		"wrong state": "state mismatch", "other issuer": "does not match issuer URL", "other issuer in the answer": "does not match expected issuer",
		"other resource": "got metadata resource", "metadata elsewhere": "metadata at another origin", "metadata of the cloud": "redirects to another address, http://169.254.169.254",
		"private authority": "non-public address", "plain authority": "does not use HTTPS", "no PKCE": "does not implement PKCE", "script": "disallowed scheme",
		"plain page": "does not use HTTPS", "denies": "access_denied not", "endless metadata": "EOF", "token for another resource": "does not accept the token",
		"other kind of token": "not a bearer token", "redirected token": "redirects to another address",
	} {
		t.Run(lie, func(t *testing.T) {
			t.Parallel()
			a, kept := newAuthority(t, lie), &vault{}
			err := a.login(kept)
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "\x1b")
			require.Empty(t, kept.kept)
			require.Zero(t, a.site.calls.Load())
		})
	}
}

func TestLogin_FailsIfTheServerRequiresNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "honest")
	err := mcp.Login(t.Context(), remoteOptions(t, &vault{}), mcp.Server{Name: "t", URL: s.URL + "/mcp"}, "", func(string) { t.Error("asked") })
	require.ErrorContains(t, err, "requires no login")
}

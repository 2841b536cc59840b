package cli

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// onTheWeb is the program for which this machine is on the public web; the one that users have refuses it.
var onTheWeb = sync.OnceValues(func() (string, error) {
	program := filepath.Join(filepath.Dir(binaries), "forge-on-the-web")
	return program, testkit.BuildProgram(program, "-ldflags", "-s -X main.webReach=loopback")
})

// site is a server over TLS with an authority of its own, and what it was asked for.
type site struct {
	*httptest.Server
	authority string // a PEM file
	mu        sync.Mutex
	asked     []string
}

func newSite(t *testing.T, pages map[string]string) *site {
	t.Helper()
	s := &site{authority: filepath.Join(t.TempDir(), "ca.pem")}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.String())
		s.mu.Unlock()
		if to, leads := strings.CutPrefix(pages[r.URL.Path], "-> "); leads {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if _, is := pages[r.URL.Path]; !is {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, pages[r.URL.Path])
	}))
	t.Cleanup(s.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(s.authority, certificate, 0o600))
	return s
}

// browser is a world whose program may find this machine on the web, and trusts the site.
func (s *site) browser(w *world) {
	w.t.Helper()
	program, err := onTheWeb()
	require.NoError(w.t, err)
	w.program = program
	w.environ = append(w.environ, "SSL_CERT_FILE="+s.authority)
}

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

const about = `<!doctype html><title>Sums</title><h1>How to add</h1><p>Put <b>both</b> together.<p><a href="/more">More of it</a>`

// With the user's permission a model reads pages and searches, a page at a time, and receives their text as data.
func TestWebTools_ReadPagesWithPermission(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/about": about, "/more": "<p>Sums grow.", "/found": `<a href="/about">How to add up</a>`, "/http": "-> http://127.0.0.1:1/", "/away": "-> https://localhost/"})
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change, "Only of 127.0.0.1."]}
  reply:
    json:
      explanation: Let me read.
      actions:
        - {tool: web.search, args: {query: "adding & sums"}}
        - {tool: web.fetch, args: {url: "`+s.URL+`/about"}}
        - {tool: web.browse, args: {url: "`+s.URL+`/about", query: more}}
        - {tool: web.fetch, args: {url: "`+s.URL+`/http"}}
        - {tool: web.fetch, args: {url: "`+s.URL+`/away"}}
        - {tool: web.fetch, args: {url: "https://elsewhere.example/"}}
- match:
    node: executor
    contains:
      - "`+s.URL+`/about How to add up"
      - "(Sums), lines 1 to "
      - "Put both together."
      - "Sums grow."
      - "http://127.0.0.1:1 is not read: only https is"
      - "localhost is not among the hosts that may be read"
      - "elsewhere.example is not among the hosts that the user allows"
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`], done: true}}`+reviewPass, sumModule())
	s.browser(w)
	w.settings("web: {allowed: true, hosts: [127.0.0.1], search: \"" + s.URL + "/found?q={query}\"}\n")
	code, _, stderr := w.run("run", "--yes", "--trust", "--mode", "heavy", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, []string{"GET /found?q=adding+%26+sums", "GET /about", "GET /about", "GET /more", "GET /http", "GET /away"}, s.requests())
	w.played()
}

// Nothing is read without permission, offline, or from this machine, whatever a name or an address looks like.
func TestWebTools_RefuseWithoutPermissionOrForPrivateHosts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ settings, environ, told string }{
		"not allowed":         {"", "", "unless the user's settings say web: {allowed: true}"},
		"offline":             {"web: {allowed: true}\n", "FORGE_OFFLINE=1", "web.fetch is switched off: Forge is offline"},
		"an offline mode":     {"web: {allowed: true}\nmode: offline-safe\n", "", "web.fetch is switched off: Forge is offline"},
		"no list of hosts":    {"web: {allowed: true, hosts: localhost}\n", "", "web.fetch is switched off"},
		"a private address":   {"web: {allowed: true}\n", "", "it is at 127.0.0.1, which is no address of the public web"},
		"no search was named": {"web: {allowed: true}\n", "", "web.search is switched off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"/": about})
			w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: Let me read., actions: [{tool: web.fetch, args: {url: "`+s.URL+`/"}}, {tool: web.search, args: {query: sums}}]}}
- match: {node: executor, contains: ["`+c.told+`"]}
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`], done: true}}`+reviewPass, sumModule())
			w.environ = append(w.environ, "SSL_CERT_FILE="+s.authority, c.environ)
			w.settings(c.settings)
			code, _, stderr := w.run("run", "--yes", "--trust", "--profile", "tooluse", "add Add to package sum")
			require.Equal(t, 0, code, stderr)
			require.Empty(t, s.requests())
			w.played()
		})
	}
}

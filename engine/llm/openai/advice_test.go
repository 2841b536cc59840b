package openai_test

import (
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

const proxyPassword = "proxy-canary-77a0"

// through is a client that takes a proxy, with a password.
func through(t *testing.T, proxy string, trusted *x509.CertPool) *http.Client {
	t.Helper()
	address, err := url.Parse(proxy)
	require.NoError(t, err)
	address.User = url.UserPassword("me", proxyPassword)
	transport, isStandard := http.DefaultTransport.(*http.Transport)
	require.True(t, isStandard)
	transport = transport.Clone()
	transport.Proxy = http.ProxyURL(address)
	transport.TLSClientConfig.RootCAs = trusted
	return &http.Client{Transport: transport}
}

// refusingProxy answers everything that goes through it with one status.
func refusingProxy(t *testing.T, status int) string {
	t.Helper()
	server := httptest.NewServer(answers(status, ""))
	t.Cleanup(server.Close)
	return server.URL
}

// unheard is the address of a port without a listener, which no system assigns to one.
const unheard = "http://127.0.0.1:1"

// TestAdvice_NamesTheFix checks that each way in which a set-up can be wrong is said in one sentence that says what to
// do, and that neither the key nor the password of a proxy is in it.
func TestAdvice_NamesTheFix(t *testing.T) {
	t.Parallel()
	const hosted = "https://api.example.com/v1"
	html := answers(200, "<!DOCTYPE html>\n<title>Sign in</title>")
	denied := answers(401, `{"error":{"message":"You didn't provide an API key.","type":"invalid_request_error"}}`)
	wrong := answers(401, `{"error":{"message":"Incorrect API key provided: `+key+`","code":"invalid_api_key"}}`)
	missing := answers(404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`)
	tests := map[string]struct {
		options func(t *testing.T) wire.Options
		kind    llm.Kind
		says    []string
	}{
		"no key": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: handled(t, denied), Key: " ", KeyHint: "set OPENAI_API_KEY"}
		}, llm.KindAuth, []string{"requires a key, and none is set: set OPENAI_API_KEY"}},
		"no key, and no setting names its place": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: handled(t, denied), Key: " "}
		}, llm.KindAuth, []string{"none is set: give it one with forge setup"}},
		"wrong key": {func(t *testing.T) wire.Options { return wire.Options{BaseURL: handled(t, wrong)} },
			llm.KindAuth, []string{"does not accept the key", "provided: [key]", "check the key"}},
		"a key that was copied wrong": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: handled(t, wrong), Key: key + "\n" + key}
		}, llm.KindAuth, []string{"contains an invalid character", "copy it again"}},
		"wrong path": {func(t *testing.T) wire.Options { return wire.Options{BaseURL: handled(t, http.NotFound) + "/chat"} },
			llm.KindInvalid, []string{"has no chat completions at this base URL", "it usually ends in /v1"}},
		"wrong port": {func(t *testing.T) wire.Options { return wire.Options{BaseURL: unheard} },
			llm.KindTransient, []string{"nothing listens at 127.0.0.1:", "is the server running?"}},
		"https where there is none": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: strings.Replace(handled(t, html), "http:", "https:", 1)}
		}, llm.KindInvalid, []string{"speaks no TLS", "begins with http://"}},
		"a captive portal": {func(t *testing.T) wire.Options { return wire.Options{BaseURL: handled(t, html)} },
			llm.KindInvalid, []string{"it sent a web page", "check the base URL", "login page or proxy"}},
		"a captive portal that redirects": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: handled(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://portal.example/login?key="+key, http.StatusFound)
			})}
		}, llm.KindInvalid, []string{`redirects to "portal.example"`, "set the base URL"}},
		"a captive portal that knows its status": {func(t *testing.T) wire.Options { return wire.Options{BaseURL: handled(t, answers(511, ""))} },
			llm.KindInvalid, []string{"requires a sign-in", "browser"}},
		"unknown model": {func(t *testing.T) wire.Options { return wire.Options{BaseURL: handled(t, missing)} },
			llm.KindInvalid, []string{`has no model called "scripted"`, "forge models"}},
		"a proxy that wants a password": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: hosted, HTTP: through(t, refusingProxy(t, 407), nil)}
		}, llm.KindAuth, []string{"the proxy for api.example.com requires a name and a password", "HTTPS_PROXY"}},
		"a proxy that wants a password, without TLS": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: "http://api.example.com/v1", HTTP: through(t, refusingProxy(t, 407), nil)}
		}, llm.KindAuth, []string{"requires a name and a password", "HTTPS_PROXY"}},
		"a proxy that forbids": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: hosted, HTTP: through(t, refusingProxy(t, 403), nil)}
		}, llm.KindInvalid, []string{"does not let anybody through to api.example.com (Forbidden)", "NO_PROXY"}},
		"a proxy that reaches no server": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: hosted, HTTP: through(t, refusingProxy(t, 502), nil)}
		}, llm.KindTransient, []string{"the proxy could not reach api.example.com (Bad Gateway)", "HTTPS_PROXY"}},
		"a proxy that is not there": {func(t *testing.T) wire.Options {
			return wire.Options{BaseURL: hosted, HTTP: through(t, unheard, nil)}
		}, llm.KindTransient, []string{"the proxy at 127.0.0.1:", "on the way to api.example.com cannot be reached", "HTTPS_PROXY"}},
		"an untrusted CA": {func(t *testing.T) wire.Options { return wire.Options{BaseURL: newTLS(t).URL + "/v1"} },
			llm.KindInvalid, []string{"is not trusted", "name its CA in SSL_CERT_FILE or network.caFile"}},
		"a certificate for another host": {func(t *testing.T) wire.Options {
			server := newTLS(t)
			return wire.Options{BaseURL: strings.Replace(server.URL, "127.0.0.1", "localhost", 1), HTTP: trusting(server)}
		}, llm.KindInvalid, []string{"is for another host", "check the base URL"}},
	}
	for name, test := range tests {
		for way, whole := range map[string]bool{"stream": false, "whole": true} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				options := test.options(t)
				options.Model = "scripted"
				if options.Key == "" {
					options.Key = key
				}
				if options.HTTP != nil {
					t.Cleanup(options.HTTP.CloseIdleConnections)
				}
				c := openai.New(options)
				defer c.Close()
				r := ask("n")
				r.Whole = whole
				_, err := c.Complete(t.Context(), r, nil)
				require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
				for _, words := range test.says {
					require.ErrorContains(t, err, words)
				}
				require.NotContains(t, err.Error(), proxyPassword)
				require.NotContains(t, err.Error(), "\n")
				require.Less(t, len(err.Error()), 400)
				t.Log(err)
			})
		}
	}
}

// trusting is a client that trusts a server's CA.
func trusting(server *httptest.Server) *http.Client {
	client := *server.Client()
	return &client
}

// TestAdvice_APrivateCAAndAProxyThatWork are the other side of it: what fails above is the set-up, not the way.
func TestAdvice_APrivateCAAndAProxyThatWork(t *testing.T) {
	t.Parallel()
	server := newTLS(t)
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	clients := map[string]*http.Client{"the CA": trusting(server), "the CA behind a proxy": through(t, tunnel(t), pool)}
	for name, client := range clients {
		c := openai.New(wire.Options{BaseURL: server.URL + "/v1", Key: key, Model: "scripted", HTTP: client})
		response, err := c.Complete(t.Context(), ask("n"), nil)
		c.Close()
		require.NoError(t, err, name)
		require.Equal(t, "ok", response.Text)
	}
}

// tunnel is a proxy that lets everybody through who knows the password.
func tunnel(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") == "" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		there, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.Copy(there, here)
			_ = there.Close()
		}()
		_, _ = io.Copy(here, there)
		_ = here.Close()
		<-done
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// newTLS serves with a certificate that only its own client trusts.
func newTLS(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(sent(whole))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about the client's distrust
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

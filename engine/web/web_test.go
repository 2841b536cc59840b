package web

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/tool"
)

// server is a site over TLS on this machine, and a reader for which that is the public web.
func server(t *testing.T, grant tool.WebGrant, handle http.HandlerFunc) (*httptest.Server, *Reader) {
	t.Helper()
	s := httptest.NewTLSServer(handle)
	t.Cleanup(s.Close)
	return s, New(Options{Grant: grant, Search: s.URL + "/search?q={query}", Authorities: trusting(s), Exempt: netip.Addr.IsLoopback})
}

func trusting(s *httptest.Server) func() (*x509.CertPool, error) {
	return func() (*x509.CertPool, error) {
		pool := x509.NewCertPool()
		pool.AddCert(s.Certificate())
		return pool, nil
	}
}

var anywhere = tool.WebGrant{Allowed: true, Searches: true}

func TestWeb_Reading(t *testing.T) {
	t.Parallel()
	var last atomic.Pointer[http.Request]
	s, r := server(t, anywhere, func(w http.ResponseWriter, q *http.Request) {
		last.Store(q)
		switch q.URL.Path {
		case "/moved":
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
			http.Redirect(w, q, "/page", http.StatusFound)
		case "/page", "/search":
			fmt.Fprint(w, "<!doctype html><title>T</title><p>", q.URL.Query().Get("q"))
		case "/text":
			w.Header().Set("Content-Type", "application/yaml")
			fmt.Fprint(w, "a: b\u202e\n")
		case "/image":
			w.Header().Set("Content-Type", "image/png")
		case "/large":
			fmt.Fprint(w, strings.Repeat("0123456789", maxPage/10), "more")
		case "/gone":
			w.WriteHeader(http.StatusGone)
		}
	})
	page, err := r.Read(t.Context(), s.URL+"/moved")
	require.NoError(t, err)
	require.Equal(t, tool.Page{URL: s.URL + "/page", Title: "T"}, page)
	for name, value := range map[string]string{"Referer": "", "Cookie": "", "User-Agent": "forge"} {
		require.Equal(t, value, last.Load().Header.Get(name), name)
	}
	page, err = r.Read(t.Context(), s.URL+"/text")
	require.NoError(t, err)
	require.Equal(t, "a: b\\u202e\n", page.Text, "nothing is hidden in it")
	page, err = r.Read(t.Context(), s.URL+"/large")
	require.NoError(t, err)
	require.True(t, page.Cut)
	require.Len(t, page.Text, maxPage)
	page, err = r.Search(t.Context(), "a&b c")
	require.NoError(t, err)
	require.Equal(t, "a&b c", page.Text)
	for path, says := range map[string]string{"/image": "it is no text: the server calls it image/png", "/gone": "the server answers 410 Gone"} {
		_, err := r.Read(t.Context(), s.URL+path)
		require.ErrorContains(t, err, says)
	}
}

// A forbidden address is not requested, whether it was named or a server redirects there.
func TestWeb_RefusesForbiddenAddresses(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(plain.Close)
	s, r := server(t, tool.WebGrant{Allowed: true, Hosts: []string{"127.0.0.1"}}, func(w http.ResponseWriter, q *http.Request) {
		to := q.URL.Query().Get("to")
		if to == "round" {
			to = q.URL.String()
		}
		http.Redirect(w, q, to, http.StatusFound)
	})
	named := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	for address, says := range map[string]string{
		plain.URL:                                "is not read: only https is",
		"file:///etc/passwd":                     "only https is",
		"https:///x":                             "no https address",
		"https://%zz":                            "no https address",
		s.URL + "/" + strings.Repeat("x", 2000):  "no https address",
		"https://me:secret@127.0.0.1/":           "with a name or a password in it",
		named:                                    "localhost is not among the hosts",
		s.URL + "?to=" + plain.URL:               "only https is",
		s.URL + "?to=" + named:                   "localhost is not among the hosts",
		s.URL + "?to=round":                      "more than 5 redirects",
		s.URL + "?to=https://me:you@127.0.0.1/x": "with a name or a password in it",
	} {
		_, err := r.Read(t.Context(), address)
		require.ErrorContains(t, err, says, address)
		require.NotContains(t, err.Error(), "secret")
	}
	require.Zero(t, asked.Load())
}

// Names and addresses of this machine and of private networks are refused when they are connected to, also behind a redirect.
func TestWeb_OnlyThePublicWeb(t *testing.T) {
	t.Parallel()
	s, _ := server(t, anywhere, func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, strings.Replace("https://"+q.Host, "127.0.0.1", "localhost", 1), http.StatusFound)
	})
	r := New(Options{Grant: anywhere, Authorities: trusting(s)})
	for _, address := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1), "https://10.0.0.1/", "https://[fe80::1]/", "https://169.254.169.254/latest"} {
		_, err := r.Read(t.Context(), address)
		require.ErrorContains(t, err, "which is no address of the public web", address)
	}
	// The server's own address is excepted once, and what it leads to is not.
	var seen atomic.Int32
	once := New(Options{Grant: anywhere, Authorities: trusting(s), Exempt: func(netip.Addr) bool { return seen.Add(1) == 1 }})
	_, err := once.Read(t.Context(), s.URL)
	require.ErrorContains(t, err, "which is no address of the public web")
	require.Greater(t, seen.Load(), int32(1))

	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:4700::1111": true, "127.0.0.1": false, "::1": false, "::ffff:127.0.0.1": false, "10.1.2.3": false, "192.168.0.1": false,
		"172.16.0.1": false, "172.32.0.1": true, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "::": false, "fe80::1": false,
		"fd00::1": false, "224.0.0.1": false, "255.255.255.255": false, "ff02::1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false, "::7f00:1": false,
		"2001:db8::1": false, "fe80::1%lo": false,
	} {
		require.Equal(t, want, public(netip.MustParseAddr(address)), address)
	}
}

// An untrusted certificate is an error, and a cancelled request returns the context's error.
func TestWeb_ReportsFailures(t *testing.T) {
	t.Parallel()
	s, r := server(t, anywhere, func(http.ResponseWriter, *http.Request) {})
	_, err := New(Options{Grant: anywhere, Exempt: netip.Addr.IsLoopback}).Read(t.Context(), s.URL)
	require.ErrorContains(t, err, "certificate")
	broken := errors.New("the CA file cannot be read")
	_, err = New(Options{Grant: anywhere, Authorities: func() (*x509.CertPool, error) { return nil, broken }}).Read(t.Context(), s.URL)
	require.ErrorIs(t, err, broken)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Read(cancelled, s.URL)
	require.ErrorIs(t, err, context.Canceled)
	for _, grant := range []tool.WebGrant{{}, {Allowed: true, Offline: true}} {
		nobody := New(Options{Grant: grant, Search: s.URL + "?q={query}", Exempt: netip.Addr.IsLoopback})
		_, err = nobody.Read(t.Context(), s.URL)
		require.Error(t, err)
		_, err = nobody.Search(t.Context(), "x")
		require.Error(t, err)
	}
	_, err = New(Options{Grant: anywhere}).Search(t.Context(), "x")
	require.ErrorContains(t, err, "no search is configured")
}

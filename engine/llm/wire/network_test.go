package wire

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority is a CA of a company, and the file that its people are given.
type authority struct {
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a private CA"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return authority{file, cert, key}
}

// serve is a server over TLS whose certificate the CA has signed for a name.
func (a authority) serve(t *testing.T, name string) *httptest.Server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.Config.ErrorLog = nil
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// proxy is a real one: it tunnels what CONNECT asks for, to a given address, whatever the name.
type proxy struct {
	*httptest.Server
	target string

	mu    sync.Mutex // guards asked
	asked []string   // "CONNECT api.example:443", "GET http://api.example/"
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	p := &proxy{target: target}
	p.Server = httptest.NewServer(http.HandlerFunc(p.handle))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) handle(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.RequestURI)
	p.mu.Unlock()
	if r.Method != http.MethodConnect {
		_, _ = io.WriteString(w, "through the proxy")
		return
	}
	upstream, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.target)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	client, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = buffered.WriteString("HTTP/1.1 200 Connection established\r\n\r\n")
	_ = buffered.Flush()
	tunnel(client, buffered.Reader, upstream)
}

// tunnel copies both ways until either side ends.
func tunnel(client net.Conn, read *bufio.Reader, upstream net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(upstream, read); _ = upstream.Close() })
	both.Go(func() { _, _ = io.Copy(client, upstream); _ = client.Close() })
	both.Wait()
}

func (p *proxy) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.asked...)
}

// fetch asks for a page over a network.
func fetch(t *testing.T, n Network, address string) (string, error) {
	t.Helper()
	client, err := n.Client()
	require.NoError(t, err)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func TestNetwork_AProxyAndAPrivateCA(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	server := ca.serve(t, "api.example")
	through := newProxy(t, server.Listener.Addr().String())
	network := Network{HTTPSProxy: through.URL, HTTPProxy: through.URL, CAFiles: []string{ca.file}}

	text, err := fetch(t, network, "https://api.example/")
	require.NoError(t, err)
	require.Equal(t, "hello", text)
	text, err = fetch(t, network, "http://api.example/")
	require.NoError(t, err)
	require.Equal(t, "through the proxy", text)
	require.Equal(t, []string{"CONNECT api.example:443", "GET http://api.example/"}, through.requests())

	untrusting := network
	untrusting.CAFiles = nil
	_, err = fetch(t, untrusting, "https://api.example/")
	require.ErrorContains(t, err, "certificate", "without the CA it is not trusted")
}

func TestNetwork_TheCAIsAddedToTheSystems(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	server := ca.serve(t, "api.example")
	text, err := fetch(t, Network{CAFiles: []string{other.file, ca.file}}, server.URL)
	require.NoError(t, err)
	require.Equal(t, "hello", text)
	pool, err := Network{CAFiles: []string{ca.file}}.Authorities()
	require.NoError(t, err)
	system, err := x509.SystemCertPool()
	require.NoError(t, err)
	system.AddCert(ca.cert)
	require.True(t, system.Equal(pool))
}

func TestNetwork_RejectsAnInvalidCAFile(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, []byte("no certificate"), 0o600))
	for file, says := range map[string]string{
		filepath.Join(t.TempDir(), "gone.pem"): "no such file or directory",
		empty:                                  "there is no certificate in the CA file " + empty,
	} {
		_, err := Network{CAFiles: []string{file}}.Client()
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, "set network.caFile or SSL_CERT_FILE to a PEM file")
	}
}

func TestNetwork_RejectsAnInvalidProxy(t *testing.T) {
	t.Parallel()
	for _, n := range []Network{{HTTPSProxy: "ftp://me:secret@h"}, {HTTPProxy: "http://"}, {HTTPSProxy: "http://me:secret@h:x"}} {
		_, err := n.Client()
		require.ErrorContains(t, err, "set network.proxy or")
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestNetwork_BypassesTheProxyForLocalHosts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		noProxy, address string
		direct           bool
	}{
		"another host":               {"", "https://api.example/", false},
		"localhost":                  {"", "http://localhost:1234/v1", true},
		"loopback":                   {"", "http://127.0.0.1:1234/v1", true},
		"loopback of IPv6":           {"", "http://[::1]:1234/v1", true},
		"the very host":              {"a.example, api.example", "https://api.example/", true},
		"in any case":                {"API.Example", "https://api.example/", true},
		"below a domain":             {"example", "https://api.example/", true},
		"below a domain with a dot":  {".example", "https://api.example/", true},
		"a domain, with a dot":       {".api.example", "https://api.example/", false},
		"below a domain with a star": {"*.example", "https://api.example/", true},
		"the end of a name only":     {"pi.example", "https://api.example/", false},
		"everything":                 {"*", "https://api.example/", true},
		"a network":                  {"10.0.0.0/8", "http://10.1.2.3/", true},
		"another network":            {"10.0.0.0/8", "http://11.1.2.3/", false},
		"an address":                 {"10.1.2.3", "http://10.1.2.3:9000/", true},
		"an address of IPv6":         {"fd00::1", "http://[fd00::1]:9000/", true},
		"a port":                     {"api.example:8443", "https://api.example:8443/", true},
		"another port":               {"api.example:8443", "https://api.example/", false},
		"the port that goes unsaid":  {"api.example:443", "https://api.example/", true},
		"a network for a name":       {"0.0.0.0/0", "https://api.example/", false},
		"a list with nothing in it":  {" , ,", "https://api.example/", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			choose, err := Network{HTTPProxy: "plain.example:3128", HTTPSProxy: "https://me:pw@secure.example", NoProxy: test.noProxy}.proxies()
			require.NoError(t, err)
			address, err := url.Parse(test.address)
			require.NoError(t, err)
			through, err := choose(&http.Request{URL: address})
			require.NoError(t, err)
			require.Equal(t, test.direct, through == nil)
			if !test.direct {
				require.Equal(t, map[string]string{"http": "plain.example:3128", "https": "secure.example"}[address.Scheme], through.Host)
			}
		})
	}
}

func TestNetwork_LoopbackOnlyReachesNothingElse(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	t.Cleanup(server.Close)
	through := newProxy(t, server.Listener.Addr().String())
	offline := Network{LoopbackOnly: true, HTTPProxy: through.URL, HTTPSProxy: through.URL}
	text, err := fetch(t, offline, server.URL)
	require.NoError(t, err)
	require.Equal(t, "here", text)
	for _, address := range []string{"http://192.0.2.1/", "https://[2001:db8::1]/"} { // reserved addresses
		_, err := fetch(t, offline, address)
		require.ErrorIs(t, err, errNotLocal)
	}
	require.Empty(t, through.requests(), "a proxy leads away from this machine")
	require.ErrorIs(t, onlyLoopback(context.Background(), "tcp", "10.0.0.7:443", nil), errNotLocal)
	require.NoError(t, onlyLoopback(context.Background(), "tcp", "[::1]:443", nil))
}

func TestNetwork_OneClientForANetwork(t *testing.T) {
	t.Parallel()
	var clients Clients
	a, err := clients.For(Network{NoProxy: "a"})
	require.NoError(t, err)
	again, err := clients.For(Network{NoProxy: "a"})
	require.NoError(t, err)
	require.Same(t, a, again)
	b, err := clients.For(Network{NoProxy: "a", LoopbackOnly: true})
	require.NoError(t, err)
	require.NotSame(t, a, b)
	_, err = clients.For(Network{CAFiles: []string{"/gone"}})
	require.Error(t, err)
}

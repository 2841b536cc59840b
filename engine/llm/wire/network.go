package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// Network says how servers are reached. The zero Network goes straight to them and trusts what the system trusts.
type Network struct {
	// HTTPProxy and HTTPSProxy are URLs of proxies for http and for https; empty is none. What is on this machine is
	// never asked through one.
	HTTPProxy, HTTPSProxy string
	// NoProxy lists hosts to reach without: names with all that is below them, addresses, networks, with a port or
	// without, separated by commas; * is everything.
	NoProxy string
	// CAFiles are PEM files with authorities to trust besides those of the system.
	CAFiles []string
	// LoopbackOnly refuses to connect to anything but this machine, whatever a name resolves to.
	LoopbackOnly bool
}

// Client makes a client for Options. Its error says what to do about a file or a URL that cannot be used.
func (n Network) Client() (*http.Client, error) {
	standard, is := http.DefaultTransport.(*http.Transport)
	if !is {
		return nil, errors.New("the standard way to make connections was replaced")
	}
	transport := standard.Clone()
	proxy, err := n.proxies()
	if err != nil {
		return nil, err
	}
	transport.Proxy = proxy
	if len(n.CAFiles) > 0 {
		pool, err := n.Authorities()
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	if n.LoopbackOnly {
		transport.Proxy = nil
		transport.DialContext = (&net.Dialer{Timeout: 30 * time.Second, ControlContext: onlyLoopback}).DialContext
	}
	return &http.Client{Transport: transport}, nil
}

// Authorities are those of the system and of the files. The error says what to do about a file that cannot be used.
func (n Network) Authorities() (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, file := range n.CAFiles {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("the CA file cannot be read (%w): set network.caFile or SSL_CERT_FILE to a PEM file", err)
		}
		if !pool.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("there is no certificate in the CA file %s: set network.caFile or SSL_CERT_FILE to a PEM file", file)
		}
	}
	return pool, nil
}

// proxies says which proxy a request goes through.
func (n Network) proxies() (func(*http.Request) (*url.URL, error), error) {
	plain, err := proxyURL(n.HTTPProxy, "HTTP_PROXY")
	if err != nil {
		return nil, err
	}
	secure, err := proxyURL(n.HTTPSProxy, "HTTPS_PROXY")
	if err != nil {
		return nil, err
	}
	return func(r *http.Request) (*url.URL, error) {
		if n.direct(r.URL.Hostname(), r.URL.Port(), r.URL.Scheme) {
			return nil, nil
		}
		if r.URL.Scheme == "https" {
			return secure, nil
		}
		return plain, nil
	}, nil
}

// proxyURL reads a proxy as it is written in variables: "proxy:3128" is one over http. Its value is in no error: a
// password may stand in it.
func proxyURL(text, variable string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" {
		return nil, fmt.Errorf("the proxy is not a URL: set network.proxy or %s to one like http://proxy.example:3128", variable)
	}
	switch parsed.Scheme {
	case "http", "https", "socks5", "socks5h":
		return parsed, nil
	}
	return nil, fmt.Errorf("the proxy is none of http, https and socks5: set network.proxy or %s to one like http://proxy.example:3128", variable)
}

// direct reports whether a host is reached without a proxy.
func (n Network) direct(host, port, scheme string) bool {
	ip, err := netip.ParseAddr(host)
	isIP := err == nil
	if strings.EqualFold(host, "localhost") || isIP && ip.IsLoopback() {
		return true
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	for entry := range strings.SplitSeq(n.NoProxy, ",") {
		if exempts(strings.ToLower(strings.TrimSpace(entry)), strings.ToLower(host), port, ip, isIP) {
			return true
		}
	}
	return false
}

// exempts reports whether an entry of NO_PROXY is about a host.
func exempts(entry, host, port string, ip netip.Addr, isIP bool) bool {
	if entry == "" || entry == "*" {
		return entry == "*"
	}
	if network, err := netip.ParsePrefix(entry); err == nil {
		return isIP && network.Contains(ip.Unmap())
	}
	if name, only, err := net.SplitHostPort(entry); err == nil {
		if only != port {
			return false
		}
		entry = name
	}
	if isIP {
		return strings.Trim(entry, "[]") == host
	}
	name := strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
	return host == name && !strings.HasPrefix(entry, ".") || strings.HasSuffix(host, "."+name)
}

// errNotLocal refuses a connection.
var errNotLocal = errors.New("it is not on this machine, and Forge is offline")

// onlyLoopback refuses addresses of other machines, after names were resolved and before anything is sent.
func onlyLoopback(_ context.Context, _, address string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("connect to %s: %w", address, errNotLocal)
	}
	return nil
}

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

// Network is how servers are reached. The zero Network uses no proxy and trusts the system's authorities.
type Network struct {
	// HTTPProxy and HTTPSProxy are URLs of proxies for http and for https; empty is none. Servers on this machine
	// are always called directly.
	HTTPProxy, HTTPSProxy string
	// NoProxy lists hosts to reach directly: names including subdomains, addresses, networks, with or without a
	// port, separated by commas; * is everything.
	NoProxy string
	// CAFiles are PEM files with authorities to trust in addition to the system's.
	CAFiles []string
	// LoopbackOnly refuses connections to other machines, even if a name resolves to one.
	LoopbackOnly bool
}

// Client creates a client for Options. Its error describes how to fix an unusable file or URL.
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

// Authorities returns those of the system and of the files. The error describes how to fix an unusable file.
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

// proxies returns the function that chooses the proxy of a request.
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

// proxyURL parses a proxy in the form of variables: "proxy:3128" means http. Errors omit its value, which may contain a password.
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

// exempts reports whether an entry of NO_PROXY matches a host.
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

// errNotLocal is the error for a refused connection.
var errNotLocal = errors.New("it is not on this machine, and Forge is offline")

// onlyLoopback refuses addresses of other machines, after names were resolved and before anything is sent.
func onlyLoopback(_ context.Context, _, address string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("connect to %s: %w", address, errNotLocal)
	}
	return nil
}

package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"forge/engine/llm"
)

// unreached returns why no answer began, and what the user can do about it.
func (s *Server) unreached(err error) *llm.Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL, which may contain a password
	}
	failure := s.cause(err)
	failure.Unsent = isUnsent(err) || s.proxied(err) != nil || s.distrusted(err) != nil
	return failure
}

// isUnsent reports whether no connection was made, so that no request was sent.
func isUnsent(err error) bool {
	var dns *net.DNSError
	var dial *net.OpError
	return errors.As(err, &dns) || errors.As(err, &dial) && dial.Op == "dial" ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, http.ErrSchemeMismatch)
}

func (s *Server) cause(err error) *llm.Error {
	if failure := s.proxied(err); failure != nil {
		return failure
	}
	if failure := s.distrusted(err); failure != nil {
		return failure
	}
	var (
		dns     *net.DNSError
		network net.Error
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return Malformed("there is no host called %s: check the network, and the base URL", s.host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return Transient("nothing listens at %s: is the server running?", s.host)
	case strings.Contains(err.Error(), "invalid header field value"): // net/http gives no details
		return &llm.Error{Kind: llm.KindAuth, Err: errors.New("the key contains an invalid character, such as a line break: copy it again")}
	case errors.Is(err, http.ErrSchemeMismatch):
		return Malformed("the request could not be sent: %s speaks no TLS, so its base URL begins with http://", s.host)
	case isBarred(err):
		return Malformed("the request was not sent to %s: %v", s.host, err)
	case errors.As(err, &network), isLost(err):
		return Transient("the connection to %s was lost before the answer began: %v", s.host, lost(err))
	default:
		return Malformed("the request could not be sent to %s: %v", s.host, err)
	}
}

// lost returns the system's message for a lost connection, without the addresses.
func lost(err error) error {
	var system *os.SyscallError
	if errors.As(err, &system) {
		return system.Err
	}
	return err
}

// untrusted returns the reason of crypto/x509, without the packages' names and other attempts.
func untrusted(err error) string {
	text := err.Error()
	if _, after, found := strings.Cut(text, "x509: "); found {
		text = after
	}
	text, _, _ = strings.Cut(text, " (possibly because of ")
	return text
}

// isBarred reports whether the client's own dialer refused a connection: a retry fails too. Network faults are
// time-outs, unknown names, or errors of the system.
func isBarred(err error) bool {
	var (
		dial   *net.OpError
		dns    *net.DNSError
		system *os.SyscallError
	)
	return errors.As(err, &dial) && dial.Op == "dial" && !dial.Timeout() && !errors.As(err, &dns) && !errors.As(err, &system) &&
		!errors.Is(err, context.Canceled)
}

// distrusted returns what is wrong with the server's certificate, or nil.
func (s *Server) distrusted(err error) *llm.Error {
	var (
		authority x509.UnknownAuthorityError
		elsewhere x509.HostnameError
		expired   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &elsewhere):
		return Malformed("the certificate that %s shows is for another host (%v): check the base URL, and the network in between", s.host, elsewhere)
	case errors.As(err, &expired) && expired.Reason == x509.Expired:
		return Malformed("the certificate of %s is not valid today (%v): check the clock of this machine", s.host, expired)
	case errors.As(err, &authority), errors.As(err, &verify):
		return Malformed("the certificate of %s is not trusted (%s): if a proxy or a server of your own signs it, name its CA in SSL_CERT_FILE or network.caFile", s.host, untrusted(err))
	default:
		return nil
	}
}

// proxied returns why the proxy rejected the request; nil without a proxy, or if it did not.
func (s *Server) proxied(err error) *llm.Error {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "proxyconnect" {
		return Transient("the proxy%s on the way to %s cannot be reached: check HTTPS_PROXY or network.proxy, or name the host in NO_PROXY", dialled(dial.Err), s.host)
	}
	// net/http returns a proxy's answer to CONNECT as the text of its status line.
	switch refusal := err.Error(); {
	case refusal == http.StatusText(http.StatusProxyAuthRequired):
		return &llm.Error{Kind: llm.KindAuth, Status: http.StatusProxyAuthRequired, Err: errors.New(s.proxyWantsPassword())}
	case isGateway(refusal):
		return Transient("the proxy could not reach %s (%s): check the base URL, and HTTPS_PROXY or network.proxy", s.host, refusal)
	case isClientError(refusal):
		return Malformed("the proxy does not let anybody through to %s (%s): check HTTPS_PROXY or network.proxy, or name the host in NO_PROXY", s.host, refusal)
	default:
		return nil
	}
}

// dialled returns the address of a failed connection, after a blank.
func dialled(err error) string {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Addr != nil {
		return fmt.Sprintf(" at %s", dial.Addr)
	}
	return ""
}

func isGateway(statusText string) bool {
	for status := http.StatusInternalServerError; status <= http.StatusGatewayTimeout; status++ {
		if statusText == http.StatusText(status) {
			return true
		}
	}
	return false
}

func isClientError(statusText string) bool {
	for status := http.StatusBadRequest; status <= http.StatusUnavailableForLegalReasons; status++ {
		if text := http.StatusText(status); text != "" && statusText == text {
			return true
		}
	}
	return false
}

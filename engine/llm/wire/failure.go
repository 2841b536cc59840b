package wire

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	"forge/engine/llm"
)

// ErrUnfinished says that an answer ended, in whatever way, before the model said that it was done.
var ErrUnfinished = errors.New("the answer broke off before its end")

// Failure makes of whatever ended a call the error that the caller sees: ctx's own if the caller ended
// it, else an *llm.Error with the model's name and without the key. nil stays nil.
func (x *Exchange) Failure(err error) error {
	s := x.server
	if err == nil {
		return nil
	}
	if ended := x.cancelled(); ended != nil {
		return fmt.Errorf("ask %s: %w", s.Name(), ended)
	}
	failure := s.classify(x, err)
	failure.Model = s.Name()
	failure.Err = errors.New(s.redact(failure.Err.Error()))
	return failure
}

func (s *Server) classify(x *Exchange, err error) *llm.Error {
	var known *llm.Error
	switch cause := x.overtime(); {
	case errors.As(err, &known):
		copied := *known
		return &copied
	case errors.Is(cause, errNoHeader):
		return &llm.Error{Kind: llm.KindTransient, Err: fmt.Errorf("%w (%s)", cause, s.HeaderTimeout)}
	case errors.Is(cause, errIdle):
		return &llm.Error{Kind: llm.KindTruncated, Err: fmt.Errorf("%w (%s)", cause, s.IdleTimeout)}
	case errors.Is(err, errLongEvent):
		return Malformed("%v", err)
	case isJSON(err):
		return Malformed("%s sent something that is not part of an answer: %s", s.host, jsonFault(err))
	case x.answered:
		return &llm.Error{Kind: llm.KindTruncated, Err: ErrUnfinished}
	default:
		return s.unreached(err)
	}
}

// unreached says why no answer began.
func (s *Server) unreached(err error) *llm.Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL, in which a password may stand
	}
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		verify    *tls.CertificateVerificationError
		network   net.Error
	)
	switch {
	case errors.As(err, &authority), errors.As(err, &verify):
		return Malformed("the certificate of %s is not trusted (%v): if a proxy of your own signs it, name its CA in SSL_CERT_FILE", s.host, err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return Malformed("there is no host called %s: check the base URL", s.host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return Transient("nothing listens at %s: is the server running?", s.host)
	case errors.As(err, &network), isLost(err):
		return Transient("the connection to %s was lost before the answer began: %v", s.host, err)
	default:
		return Malformed("the request could not be sent to %s: %v", s.host, err)
	}
}

// Transient is a failure that another try may not meet.
func Transient(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindTransient, Err: fmt.Errorf(format, args...)}
}

// Malformed is a failure that every try meets: a request or an answer that is not one.
func Malformed(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindInvalid, Err: fmt.Errorf(format, args...)}
}

func isJSON(err error) bool { return jsonFault(err) != "" }

// jsonFault puts an error of encoding/json into words without the names of Go types; empty is no such error.
func jsonFault(err error) string {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("malformed JSON at byte %d", syntax.Offset)
	case errors.As(err, &mismatch):
		return fmt.Sprintf("%s stands where it cannot, in %q", mismatch.Value, mismatch.Field)
	default:
		return ""
	}
}

// isLost tells a connection that ended in the middle.
func isLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// redact takes the key out of a text. A key of fewer than four bytes is a placeholder, as local servers
// want one, and no secret.
func (s *Server) redact(text string) string {
	if len(s.Key) < 4 {
		return text
	}
	return strings.ReplaceAll(text, s.Key, "[key]")
}

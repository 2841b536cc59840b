package openai

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

// failure makes of whatever ended a call the error that the caller sees: ctx's own if the caller ended
// it, else an *llm.Error with the model's name and without the key.
func (c *Client) failure(x *exchange, err error) error {
	if err == nil {
		return nil
	}
	if ended := x.cancelled(); ended != nil {
		return fmt.Errorf("ask %s: %w", c.Name(), ended)
	}
	failure := c.classify(x, err)
	failure.Model = c.Name()
	failure.Err = errors.New(c.redact(failure.Err.Error()))
	return failure
}

func (c *Client) classify(x *exchange, err error) *llm.Error {
	var known *llm.Error
	switch cause := x.overtime(); {
	case errors.As(err, &known):
		copied := *known
		return &copied
	case errors.Is(cause, errNoHeader):
		return &llm.Error{Kind: llm.KindTransient, Err: fmt.Errorf("%w (%s)", cause, c.options.HeaderTimeout)}
	case errors.Is(cause, errIdle):
		return &llm.Error{Kind: llm.KindTruncated, Err: fmt.Errorf("%w (%s)", cause, c.options.IdleTimeout)}
	case errors.Is(err, errLongEvent):
		return malformed("%v", err)
	case isJSON(err):
		return malformed("%s sent something that is not part of an answer: %s", c.host, jsonFault(err))
	case x.answered:
		return &llm.Error{Kind: llm.KindTruncated, Err: errUnfinished}
	default:
		return c.unreached(err)
	}
}

// unreached says why no answer began.
func (c *Client) unreached(err error) *llm.Error {
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
		return malformed("the certificate of %s is not trusted (%v): if a proxy of your own signs it, name its CA in SSL_CERT_FILE", c.host, err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return malformed("there is no host called %s: check the base URL", c.host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return transient("nothing listens at %s: is the server running?", c.host)
	case errors.As(err, &network), isLost(err):
		return transient("the connection to %s was lost before the answer began: %v", c.host, err)
	default:
		return malformed("the request could not be sent to %s: %v", c.host, err)
	}
}

func transient(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindTransient, Err: fmt.Errorf(format, args...)}
}

func malformed(format string, args ...any) *llm.Error {
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
func (c *Client) redact(text string) string {
	if len(c.options.Key) < 4 {
		return text
	}
	return strings.ReplaceAll(text, c.options.Key, "[key]")
}

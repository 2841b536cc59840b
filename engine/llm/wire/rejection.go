package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"forge/engine/llm"
	"forge/internal/lazyregexp"
)

// maxRefusal limits how much of a failed response is read, in bytes.
const maxRefusal = 64 << 10

// rejection returns the error for a response whose status is not 2xx.
func (s *Server) rejection(response *http.Response) error {
	if response.StatusCode < 400 {
		return Malformed("%s redirects to %q instead of answering: set the base URL to where the API really is",
			s.host, s.redact(target(response)))
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal)) // a part of it is enough
	failure := s.judge(response.StatusCode, s.complaint(body))
	failure.Status = response.StatusCode
	if failure.Kind == llm.KindRateLimited || failure.Kind == llm.KindTransient {
		failure.RetryAfter = retryAfter(response.Header, s.Now())
	}
	return failure
}

// Judge returns the error for a failed status and its body in the results of a batch. It is for Failure.
func (s *Server) Judge(status int, body []byte) error {
	failure := s.judge(status, s.complaint(body))
	failure.Status = status
	return failure
}

// target returns the host of a redirect.
func target(response *http.Response) string {
	location, err := response.Location()
	if err != nil {
		return "nowhere"
	}
	return location.Host
}

// stray returns the error for a successful body that is no event stream, or for an event that reports
// an error; nil for a body that ended too soon to decide.
func (s *Server) stray(payload []byte, inStream bool) error {
	payload = bytes.TrimSpace(payload)
	if len(payload) == 0 {
		return nil
	}
	said := s.complaint(payload)
	if !said.understood {
		return Malformed("%s answers, but not as the API does (it sent %s): check the base URL (%s), and whether a login page or proxy is in between",
			s.host, looksLike(payload), s.dialect.BaseHint)
	}
	status := said.status()
	if status == 0 && !inStream && !said.ofServer() {
		status = http.StatusOK // some servers report an invalid request this way: no retry
	}
	return s.judge(status, said)
}

func looksLike(payload []byte) string {
	switch {
	case payload[0] == '<':
		return "a web page"
	case payload[0] == '{', payload[0] == '[':
		return "one JSON document instead of a stream"
	case isField(payload):
		return "a stream instead of one JSON document"
	default:
		return "text"
	}
}

// judge decides the kind of failure for a complaint with a status (0: none).
func (s *Server) judge(status int, said complaint) *llm.Error {
	failure := &llm.Error{Kind: s.kind(status, said)}
	failure.Err = errors.New(s.advice(failure.Kind, status, said))
	if failure.Kind != llm.KindInvalid && failure.Kind != llm.KindTransient {
		return failure
	}
	switch part, value, refused := s.refused(status, said); {
	case refused && part.Feature == "":
		failure.Err = &RefusedError{part.Name, value, said.text()}
	case refused:
		failure.Kind, failure.Feature = llm.KindUnsupported, part.Feature
		failure.Err = fmt.Errorf("%s does not take %s from this model: %s", s.host, part.Name, said.text())
	}
	return failure
}

// advice returns what happened, and what to do, if known.
func (s *Server) advice(kind llm.Kind, status int, said complaint) string {
	text := said.text()
	switch {
	case status == http.StatusProxyAuthRequired:
		return s.proxyWantsPassword()
	case status == http.StatusNetworkAuthenticationRequired:
		return "the network requires a sign-in: open any web page in a browser, then try again"
	case kind == llm.KindInvalid && isUnknownModel(status, said):
		return fmt.Sprintf("%s has no model called %q: choose one that forge models lists (%s)", s.host, s.Model, text)
	case kind == llm.KindInvalid && status == http.StatusNotFound:
		return fmt.Sprintf("%s has no %s at this base URL: %s (%s)", s.host, s.dialect.Endpoint, s.dialect.BaseHint, text)
	case kind == llm.KindAuth && isQuota(status, said):
		return fmt.Sprintf("the account at %s has no quota or credit left: %s", s.host, text)
	case kind == llm.KindAuth && s.Key == "":
		return fmt.Sprintf("%s requires a key, and none is set: %s (%s)", s.host, s.KeyHint, text)
	case kind == llm.KindAuth && status == http.StatusForbidden:
		return fmt.Sprintf("%s does not let this key do that: %s (check what the key, its account and its region may)", s.host, text)
	case kind == llm.KindAuth:
		return fmt.Sprintf("%s does not accept the key: %s (check the key, and that it belongs to this host)", s.host, text)
	default:
		return text
	}
}

func (s *Server) proxyWantsPassword() string {
	return fmt.Sprintf("the proxy for %s requires a name and a password: put them into HTTPS_PROXY or network.proxy (http://name:password@proxy:port)", s.host)
}

func (s *Server) kind(status int, said complaint) llm.Kind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired, isQuota(status, said),
		said.is("authentication_error", "permission_error"):
		return llm.KindAuth
	case status == http.StatusNetworkAuthenticationRequired:
		return llm.KindInvalid
	case isOverflow(status, said):
		return llm.KindOverflow
	case noRoom.MatchString(said.Message):
		return llm.KindLength
	case said.is("content_filter", "content_policy_violation"):
		return llm.KindRefused
	case status == http.StatusTooManyRequests, said.is("rate_limit_exceeded", "rate_limit_error"):
		return llm.KindRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly,
		status >= 500, status == 0 && !said.is("invalid_request_error", "not_found_error"):
		return llm.KindTransient
	default:
		return llm.KindInvalid
	}
}

// quota matches Anthropic's messages about an account without credit, which have the status of a malformed request.
var quota = lazyregexp.New(`(?i)credit balance is too low|reached your specified api usage limits`)

func isQuota(status int, said complaint) bool {
	return status == http.StatusPaymentRequired || status < http.StatusInternalServerError && quota.MatchString(said.Message) ||
		said.is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error")
}

// overflow matches the messages of OpenAI, vLLM, llama.cpp, LM Studio and Anthropic-like gateways.
var overflow = lazyregexp.New(`(?i)context (length|window|size)|maximum context|context limit|prompt is too long|too many (input )?tokens|exceed_context_size`)

func isOverflow(status int, said complaint) bool {
	if said.is("context_length_exceeded", "exceed_context_size_error", "request_too_large") || status == http.StatusRequestEntityTooLarge {
		return true
	}
	asked := []int{0, http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError}
	return slices.Contains(asked, status) && overflow.MatchString(said.Message)
}

// noRoom matches OpenAI's message about a limit that a model has used up for its thoughts.
var noRoom = lazyregexp.New(`(?i)max_tokens or model output limit was reached`)

var unknownModel = lazyregexp.New(`(?i)model.*(not found|does not exist|not exist|no such)|no such model`)

func isUnknownModel(status int, said complaint) bool {
	return said.is("model_not_found") || status == http.StatusNotFound && unknownModel.MatchString(said.Message)
}

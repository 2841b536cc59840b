package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"forge/engine/llm"
)

// ErrUnfinished means that an answer ended before the model finished it.
var ErrUnfinished = errors.New("the answer broke off before its end")

// Failure converts the error of a call for its caller: ctx's own if the caller ended it, otherwise an
// *llm.Error with the model's name and without the key. nil stays nil.
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

// Failure does the same for results of a batch, and for the adapter's own errors.
func (s *Server) Failure(err error) error {
	never := func() error { return nil }
	return (&Exchange{server: s, answered: true, cancelled: never, overtime: never}).Failure(err)
}

func (s *Server) classify(x *Exchange, err error) *llm.Error {
	var known *llm.Error
	switch cause := x.overtime(); {
	case errors.As(err, &known):
		copied := *known
		return &copied
	case errors.Is(cause, errNoHeader) && x.whole: // the model may have been at work, and is billed
		return &llm.Error{Kind: llm.KindTruncated, Err: fmt.Errorf("%w (%s)", cause, x.header)}
	case errors.Is(cause, errNoHeader):
		return &llm.Error{Kind: llm.KindTransient, Err: fmt.Errorf("%w (%s)", cause, x.header)}
	case errors.Is(cause, errIdle):
		return &llm.Error{Kind: llm.KindTruncated, Err: fmt.Errorf("%w (%s)", cause, x.idle)}
	case errors.As(err, new(*longAnswerError)), errors.Is(err, errLongEvent):
		return Malformed("%v", err)
	case isHalf(err):
		return &llm.Error{Kind: llm.KindTruncated, Err: ErrUnfinished}
	case isJSON(err):
		return Malformed("%s sent something that is not part of an answer: %s", s.host, jsonFault(err))
	case x.answered:
		return &llm.Error{Kind: llm.KindTruncated, Err: ErrUnfinished}
	default:
		return s.unreached(err)
	}
}

// Transient returns a failure that a retry may avoid.
func Transient(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindTransient, Err: fmt.Errorf(format, args...)}
}

// Malformed returns a failure that no retry avoids: an invalid request or answer.
func Malformed(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindInvalid, Err: fmt.Errorf(format, args...)}
}

// isHalf reports whether JSON is valid as far as it goes: a part of the answer was lost. JSON that is invalid from
// the start was sent like that, and a retry does not help.
func isHalf(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input"
}

func isJSON(err error) bool { return jsonFault(err) != "" }

// jsonFault rewrites an error of encoding/json without the names of Go types; empty for other errors.
func jsonFault(err error) string {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("malformed JSON at byte %d", syntax.Offset)
	case errors.As(err, &mismatch):
		return fmt.Sprintf("invalid value (%s) in the field %q", mismatch.Value, mismatch.Field)
	default:
		return ""
	}
}

// isLost reports whether a connection ended in the middle.
func isLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// redact removes the key from a text. A key of fewer than four bytes is a placeholder for local servers, and not secret.
func (s *Server) redact(text string) string {
	if len(s.Key) < 4 {
		return text
	}
	return strings.ReplaceAll(text, s.Key, "[key]")
}

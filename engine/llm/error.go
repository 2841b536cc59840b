package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind classifies a failure by the possible reaction.
type Kind string

// The kinds of failure.
const (
	KindTransient   Kind = "transient"    // 5xx, overloaded, connection lost before the answer: retry
	KindRateLimited Kind = "rate-limited" // retry, not before RetryAfter
	KindTruncated   Kind = "truncated"    // the answer ended without a finish reason, or is incomplete: retry once
	KindOverflow    Kind = "overflow"     // the request is larger than the model's context
	KindLength      Kind = "length"       // the answer reached the output limit: the Response has its beginning
	KindAuth        Kind = "auth"         // no key, wrong key, no quota: only the user can fix it
	KindRefused     Kind = "refused"      // the model declined or a filter stopped it
	KindInvalid     Kind = "invalid"      // the provider calls the request malformed, or its answer is not one
	KindUnsupported Kind = "unsupported"  // the provider does not support the Feature: omit it
	KindUnavailable Kind = "unavailable"  // not called, because it failed too often: not before RetryAfter
	KindBudget      Kind = "budget"       // not called, because it could cost more than the rest of the budget
	KindMissing     Kind = "missing"      // a batch expired before its answer: ask again
)

// Feature is a part of a request that a provider may not support.
type Feature string

// The features.
const (
	FeatureSchema      Feature = "schema"      // Request.Schema
	FeatureTools       Feature = "tools"       // Request.Tools
	FeatureTemperature Feature = "temperature" // Request.Temperature
	FeatureThinking    Feature = "thinking"    // Request.Thinking
)

// Error is a failed call to a model.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 without one
	RetryAfter time.Duration // the minimum wait before another call; 0 if the provider named none
	Feature    Feature       // with KindUnsupported
	Unsent     bool          // the request did not reach the provider, which cannot have billed it
	Model      string
	Err        error
}

// Error returns what happened, with the model. It never contains a key. It omits the kind, which is for programs, and
// does not repeat a host that the cause names.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("model %s: %s", e.Model, e.Kind)
	}
	name, cause := e.Model, e.Err.Error()
	if model, host, found := strings.Cut(name, " at "); found && strings.Contains(cause, host) {
		name = model
	}
	return fmt.Sprintf("model %s: %s", name, cause)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of a failed call; empty if err is or wraps no *Error.
func KindOf(err error) Kind {
	if failed, is := errors.AsType[*Error](err); is {
		return failed.Kind
	}
	return ""
}

// failureOf returns the failed call in an error, or nil.
func failureOf(err error) *Error {
	var failure *Error
	if errors.As(err, &failure) {
		return failure
	}
	return nil
}

// retryable reports whether the same call may succeed later.
func (e *Error) retryable() bool {
	switch e.Kind {
	case KindTransient, KindRateLimited, KindTruncated, KindUnavailable:
		return true
	default:
		return false
	}
}

// because returns the same failure with a reason, if any, before its cause.
func (e *Error) because(reason string) *Error {
	if reason == "" {
		return e
	}
	copied := *e
	copied.Err = fmt.Errorf("%s: %w", reason, e.Err)
	return &copied
}

package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind classifies a failure by what may be done about it.
type Kind string

// The kinds of failure.
const (
	KindTransient   Kind = "transient"    // 5xx, overloaded, connection lost before the answer: try again
	KindRateLimited Kind = "rate-limited" // try again, not before RetryAfter
	KindTruncated   Kind = "truncated"    // the answer ended without a finish reason, or a part of it is missing: try once more
	KindOverflow    Kind = "overflow"     // the request is larger than the model's context
	KindLength      Kind = "length"       // the answer reached the output limit: what there is of it is in the Response
	KindAuth        Kind = "auth"         // no key, wrong key, no quota: only the user can help
	KindRefused     Kind = "refused"      // the model declined or a filter stopped it
	KindInvalid     Kind = "invalid"      // the provider calls the request malformed, or its answer is not one
	KindUnsupported Kind = "unsupported"  // the provider does not take the Feature: ask without it
	KindUnavailable Kind = "unavailable"  // it was not asked, because it failed too often: not before RetryAfter
	KindBudget      Kind = "budget"       // it was not asked, because that could cost more than is left
	KindMissing     Kind = "missing"      // a batch expired before it was answered: ask again
)

// Feature is a part of a request that a provider may not take.
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
	Status     int           // HTTP status, 0 where there was none
	RetryAfter time.Duration // no call before it has passed; 0 where the provider named none
	Feature    Feature       // with KindUnsupported
	Unsent     bool          // the request certainly did not reach the provider, which so cannot have billed it
	Model      string
	Err        error
}

// Error says what happened, to which model. It never contains a key. The kind is for programs; and a host that the cause
// names, as most do, is not named with the model as well.
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

// failureOf is the failed call in an error, or nil.
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

// because returns the same failure with a reason, if there is one, in front of its cause.
func (e *Error) because(reason string) *Error {
	if reason == "" {
		return e
	}
	copied := *e
	copied.Err = fmt.Errorf("%s: %w", reason, e.Err)
	return &copied
}

package llm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Policy is how often and how soon a failed call is retried. The zero Policy is the default one.
type Policy struct {
	Attempts int           // calls in total, including the first; 0 is 5
	Initial  time.Duration // upper bound of the first wait; 0 is 2 s
	Factor   float64       // growth of that bound; 0 is 2
	MaxWait  time.Duration // upper bound of every wait; 0 is 120 s

	// StandIn means that this model has a fallback (see Fallback): then Retry does not wait for a model that
	// failed too often (KindUnavailable).
	StandIn bool

	// Sleep waits, or returns ctx's error as soon as ctx ends; nil waits on the monotonic clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns a number in [0, 1); nil is random.
	Jitter func() float64
	// Notify, if not nil, gets the number of the failed attempt (from 1), its cause and the wait, before
	// each wait, so that the user sees the reason for the delay.
	Notify func(attempt int, cause *Error, wait time.Duration)
}

// Restart is the piece of text that Retry passes to onDelta when an attempt failed after a part of its
// text was shown: the earlier text is void, and the answer restarts. No adapter passes an empty piece,
// so it has no other meaning.
const Restart = ""

// Retry wraps a model so that a failed call is retried: with full jitter
// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter), and only if that may help
// (KindTransient, KindRateLimited, KindTruncated, KindUnavailable). This is the only retry loop; adapters have
// none.
//
// A truncated answer is requested once more, in one piece (Request.Whole), because faults that break streams often
// spare other answers. There is no third request, because truncated answers may be billed.
//
// Invariant: there is no call before the time that a provider named. A provider that demands more than MaxWait gets no
// further call: the error contains the wait.
//
// When ctx ends, the wait or the call ends with ctx's error. Two attempts are never mixed: see Restart.
func Retry(m Model, p Policy) Model {
	return &retrying{model: m, policy: p.withDefaults()}
}

type retrying struct {
	model  Model
	policy Policy
}

// Name returns the name of the wrapped model.
func (r *retrying) Name() string { return r.model.Name() }

// Complete calls the model until it answers, fails permanently, or the attempts are used up. Answers contain the model's name for
// users.
func (r *retrying) Complete(ctx context.Context, q Request, onDelta func(string)) (Response, error) {
	cut := 0
	for attempt := 1; ; attempt++ {
		shown, pass := watch(onDelta)
		response, err := r.model.Complete(ctx, q, pass)
		response.Model = r.Name()
		failure := failureOf(err)
		if failure == nil || ctx.Err() != nil {
			return response, err
		}
		if failure.Kind == KindTruncated {
			cut++
			q.Whole = true
		}
		if reason, ends := r.ends(failure, attempt, cut); ends {
			return response, failure.because(reason)
		}
		if err := r.pause(ctx, attempt, failure); err != nil {
			return Response{}, fmt.Errorf("wait to ask %s again: %w", r.model.Name(), err)
		}
		if *shown {
			onDelta(Restart)
		}
	}
}

// maxCut limits the truncated answers of one call.
const maxCut = 2

// ends reports whether a failure is final, and why; the reason may be empty.
func (r *retrying) ends(failure *Error, attempt, cut int) (reason string, ends bool) {
	switch {
	case !failure.retryable(), r.policy.StandIn && failure.Kind == KindUnavailable:
		return "", true
	case cut >= maxCut:
		return "was cut off again", true
	case attempt >= r.policy.Attempts:
		return fmt.Sprintf("gave up after %s", attempts(attempt)), true
	case failure.RetryAfter > r.policy.MaxWait:
		return fmt.Sprintf("asked to wait %s, which is too long", failure.RetryAfter), true
	}
	return "", false
}

func (r *retrying) pause(ctx context.Context, attempt int, failure *Error) error {
	wait := r.policy.wait(attempt, failure.RetryAfter)
	if r.policy.Notify != nil {
		r.policy.Notify(attempt, failure, wait)
	}
	return r.policy.Sleep(ctx, wait)
}

// wait returns the pause after the given failed attempt (from 1): at least the provider's demand, at
// most MaxWait, unless the demand is exactly that.
func (p Policy) wait(attempt int, asked time.Duration) time.Duration {
	bound := math.Min(float64(p.MaxWait), float64(p.Initial)*math.Pow(p.Factor, float64(attempt-1)))
	return max(asked, time.Duration(bound*p.Jitter()))
}

func (p Policy) withDefaults() Policy {
	if p.Attempts <= 0 {
		p.Attempts = 5
	}
	if p.Initial <= 0 {
		p.Initial = 2 * time.Second
	}
	if p.Factor <= 0 {
		p.Factor = 2
	}
	if p.MaxWait <= 0 {
		p.MaxWait = 120 * time.Second
	}
	if p.Sleep == nil {
		p.Sleep = Pause
	}
	if p.Jitter == nil {
		p.Jitter = rand.Float64
	}
	return p
}

// watch wraps onDelta to record whether anything was shown; a nil onDelta stays nil.
func watch(onDelta func(string)) (*bool, func(string)) {
	shown := new(bool)
	if onDelta == nil {
		return shown, nil
	}
	return shown, func(piece string) {
		*shown = true
		onDelta(piece)
	}
}

// Pause waits, or returns ctx's error as soon as ctx ends.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attempts formats their number.
func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

package llm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Policy says how often and how soon a failed call is made again. The zero Policy is the default one.
type Policy struct {
	Attempts int           // calls in all, the first included; 0 is 5
	Initial  time.Duration // upper bound of the first wait; 0 is 2 s
	Factor   float64       // growth of that bound; 0 is 2
	MaxWait  time.Duration // upper bound of every wait; 0 is 120 s

	// StandIn says that another model stands in for this one (see Fallback): a model that is not asked because it
	// failed too often (KindUnavailable) is not waited for.
	StandIn bool

	// Sleep waits, or returns ctx's error as soon as ctx ends; nil waits on the monotonic clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns a number in [0, 1); nil is random.
	Jitter func() float64
	// Notify, if not nil, is told before each wait which attempt failed (from 1), why, and how long the
	// wait will be, so that the user is not left in front of a silent progress bar.
	Notify func(attempt int, cause *Error, wait time.Duration)
}

// Restart is the piece of text that Retry passes to onDelta when an attempt failed after some of its
// text had been shown: what came before is void, the answer starts again. No adapter passes an empty
// piece, so it means nothing else.
const Restart = ""

// Retry makes a model of which a failed call is tried again: with full jitter
// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter), and only where that may
// help (KindTransient, KindRateLimited, KindTruncated, KindUnavailable). This is the only retry loop; adapters
// have none.
//
// An answer that was cut off is asked for once more, in one piece (Request.Whole): what cuts streams often leaves other
// answers alone. It is not asked for a third time, because what was cut off may have been billed.
//
// Invariant: there is no call before the moment a provider named. A provider that asks for more than
// MaxWait gets no further call: the error says how long it asked for.
//
// When ctx ends, the wait or the call ends with ctx's error. Two attempts are never spliced: see Restart.
func Retry(m Model, p Policy) Model {
	return &retrying{model: m, policy: p.withDefaults()}
}

type retrying struct {
	model  Model
	policy Policy
}

// Name is the name of the model behind it.
func (r *retrying) Name() string { return r.model.Name() }

// Complete calls the model until it answers, cannot be helped, or the attempts are used up. Answers have the name by which the user knows the model.
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

// maxCut is how many answers of one call may be cut off.
const maxCut = 2

// ends reports whether a failure is the last word, and why; the reason may be empty.
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

// wait is how long to pause after the given failed attempt (from 1): never less than what the provider
// asked for, never more than MaxWait unless it asked for exactly that.
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

// watch wraps onDelta so that it is known whether anything was shown; a nil onDelta stays nil.
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

// attempts counts them in words.
func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}

package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// queueFor is how long a call waits for its turn before it fails.
const queueFor = 30 * time.Second

// Limits keep all calls of a process within the providers' limits. All callers in the process share one Limits. The zero
// value is ready to use.
type Limits struct {
	mu  sync.Mutex // guards all
	all map[string]*gate
}

// Limit wraps a model so that it is called at most at the rate, counted over all models of the provider, and not before a
// time that the provider has named in any call (Error.RetryAfter of a rejected call). A call waits for its turn for 30
// seconds at most; if that is not enough, it fails at once with KindRateLimited and the wait.
func (l *Limits) Limit(provider string, r Rate, m Model) Model {
	return &limited{model: m, gate: l.of(provider, r)}
}

func (l *Limits) of(provider string, r Rate) *gate {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string]*gate{}
	}
	g := l.all[provider]
	if g == nil {
		g = &gate{}
		l.all[provider] = g
	}
	g.set(r)
	return g
}

// gate is the queue for calls of one provider.
type gate struct {
	mu     sync.Mutex    // guards the fields below
	rate   Rate          // of bucket
	bucket *rate.Limiter // nil is unlimited
	until  time.Time     // no call before
}

// set changes the rate. Tokens taken from the bucket stay taken.
func (g *gate) set(r Rate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rate == r {
		return
	}
	g.rate = r
	limit, burst := rate.Limit(float64(r.PerMinute)/60), max(1, r.Burst)
	switch {
	case r.PerMinute <= 0:
		g.bucket = nil
	case g.bucket == nil:
		g.bucket = rate.NewLimiter(limit, burst)
	default:
		g.bucket.SetLimit(limit)
		g.bucket.SetBurst(burst)
	}
}

// turn takes a token from the bucket.
func (g *gate) turn() *rate.Reservation {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bucket == nil {
		return rate.NewLimiter(rate.Inf, 1).Reserve()
	}
	return g.bucket.Reserve()
}

// believable limits the wait that a provider may demand: after it, a call is made.
const believable = 24 * time.Hour

// close blocks all calls for some time.
func (g *gate) close(d time.Duration) {
	d = min(d, believable)
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(d); until.After(g.until) {
		g.until = until
	}
}

func (g *gate) closedFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(0, time.Until(g.until))
}

// pass waits for the caller's turn. If that takes longer than patience, it returns the wait at once.
func (g *gate) pass(ctx context.Context, patience time.Duration) (late time.Duration, err error) {
	turn := g.turn()
	began := time.Now()
	for {
		wait := max(turn.Delay(), g.closedFor())
		if wait <= 0 {
			return 0, ctx.Err()
		}
		if time.Since(began)+wait > patience {
			turn.Cancel()
			return wait, nil
		}
		if err := Pause(ctx, wait); err != nil {
			turn.Cancel()
			return 0, err
		}
	}
}

type limited struct {
	model Model
	gate  *gate
}

// Name returns the name of the wrapped model.
func (l *limited) Name() string { return l.model.Name() }

// Complete calls the model when its turn comes.
func (l *limited) Complete(ctx context.Context, q Request, onDelta func(string)) (Response, error) {
	late, err := l.gate.pass(ctx, queueFor)
	if err != nil {
		return Response{}, fmt.Errorf("wait for a turn to ask %s: %w", l.Name(), err)
	}
	if late > 0 {
		return Response{}, &Error{Kind: KindRateLimited, RetryAfter: late, Model: l.Name(), Err: errTooMany}
	}
	response, err := l.model.Complete(ctx, q, onDelta)
	if failure := failureOf(err); failure != nil && failure.RetryAfter > 0 {
		l.gate.close(failure.RetryAfter)
	}
	return response, err
}

var errTooMany = errors.New("it was not asked: the limit of calls is used up for now")

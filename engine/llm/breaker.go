package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// tripAfter is the number of consecutive failures that open a breaker.
	tripAfter = 5
	// openFor is how long a breaker stays open.
	openFor = 60 * time.Second
	// probeFor is the wait for callers while another call probes the model.
	probeFor = 5 * time.Second
)

// Breakers stop a process from calling models that do not answer. All callers in the process share one Breakers. The zero
// value is ready to use.
type Breakers struct {
	mu  sync.Mutex // guards all
	all map[string]*breaker
}

// Breaker wraps a model so that it is not called after five consecutive failures, counted over all callers: for sixty
// seconds calls fail at once (KindUnavailable, with the time left). Then exactly one call probes the model while others
// still fail, and its result opens the breaker again or closes it.
//
// Only failures of the model or its network count: KindTransient (including time-outs) and KindTruncated. Rejected keys,
// limits and requests do not count, nor do cancelled calls.
func (b *Breakers) Breaker(provider, id string, m Model) Model {
	return &breaking{model: m, breaker: b.of(provider, id)}
}

// Standing is the state of a breaker.
type Standing struct {
	Provider, Model string
	Open            bool          // the model is not called
	Left            time.Duration // until it is retried
}

// Standings lists the breakers of this process, sorted by name.
func (b *Breakers) Standings() []Standing {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Standing, 0, len(b.all))
	for _, one := range b.all {
		all = append(all, one.standing())
	}
	slices.SortFunc(all, func(x, y Standing) int {
		return strings.Compare(x.Provider+"\x00"+x.Model, y.Provider+"\x00"+y.Model)
	})
	return all
}

func (b *Breakers) of(provider, id string) *breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := provider + "\x00" + id
	if one := b.all[name]; one != nil {
		return one
	}
	if b.all == nil {
		b.all = map[string]*breaker{}
	}
	one := newBreaker(provider, id)
	b.all[name] = one
	return one
}

// breaker is the breaker of one model.
type breaker struct {
	*gobreaker.CircuitBreaker[Response]
	provider, id string

	mu    sync.Mutex // guards until
	until time.Time  // when an open breaker permits a call
}

func newBreaker(provider, id string) *breaker {
	b := &breaker{provider: provider, id: id}
	b.CircuitBreaker = gobreaker.NewCircuitBreaker[Response](gobreaker.Settings{
		MaxRequests:  1,
		Timeout:      openFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !isFault(err) },
		IsExcluded:   saysNothing,
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				b.opened(time.Now().Add(openFor))
			}
		},
	})
	return b
}

func (b *breaker) opened(until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = until
}

// left returns how long an open breaker stays open. It permits a call after that time, not at it.
func (b *breaker) left() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.until)) + time.Millisecond
}

func (b *breaker) standing() Standing {
	s := Standing{Provider: b.provider, Model: b.id, Open: b.State() == gobreaker.StateOpen}
	if s.Open {
		s.Left = b.left()
	}
	return s
}

// isFault reports whether a call failed because of the model or its network.
func isFault(err error) bool {
	failure := failureOf(err)
	return failure != nil && (failure.Kind == KindTransient || failure.Kind == KindTruncated)
}

// saysNothing reports whether the end of a call proves nothing about its model: the call was cancelled, not made, or
// rejected because of a rate limit.
func saysNothing(err error) bool {
	failure := failureOf(err)
	if failure == nil {
		return err != nil
	}
	return failure.Kind == KindRateLimited || failure.Kind == KindUnavailable || failure.Kind == KindBudget
}

type breaking struct {
	model   Model
	breaker *breaker
}

// Name returns the name of the wrapped model.
func (b *breaking) Name() string { return b.model.Name() }

// Complete calls the model, unless it has failed too often.
func (b *breaking) Complete(ctx context.Context, q Request, onDelta func(string)) (Response, error) {
	var response Response
	_, err := b.breaker.Execute(func() (Response, error) {
		var err error
		response, err = b.model.Complete(ctx, q, onDelta)
		if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
			return response, fmt.Errorf("%w (%w)", ctx.Err(), errors.New(err.Error())) // cancelled by the caller
		}
		return response, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState):
		return response, b.refusal(b.breaker.left(), "it failed too often and is left alone for a while")
	case errors.Is(err, gobreaker.ErrTooManyRequests):
		return response, b.refusal(probeFor, "it failed too often, and one call finds out how it is now")
	}
	return response, err
}

func (b *breaking) refusal(left time.Duration, why string) error {
	return &Error{Kind: KindUnavailable, RetryAfter: left, Model: b.Name(), Err: errors.New(why)}
}

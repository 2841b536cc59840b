package route

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/config"
)

// ProbeTimeout is the time limit for listing the models of a server that may be at its usual address. The user waits for it, and often there is none.
const ProbeTimeout = 1500 * time.Millisecond

// NamedTimeout is the time limit for a server that the user has named: it may be far away, or loading a model.
const NamedTimeout = 15 * time.Second

// How long a list, and the absence of a server, are cached.
const (
	listingAge = 30 * time.Second
	failureAge = 2 * time.Second
)

// listing is the list of a server's models, now or in the future. done is closed when it is known; the other
// fields are written before.
type listing struct {
	done   chan struct{}
	offers []Offer
	err    error
	until  time.Time
}

// offers lists the usable models of a provider. Concurrent callers share one call.
func (r *Router) offers(ctx context.Context, s config.Settings, p config.Provider) ([]Offer, error) {
	all, err := r.listed(ctx, s, p)
	if s.Offline {
		all = slices.DeleteFunc(slices.Clone(all), func(o Offer) bool { return o.Remote || isCloud(o.ID) })
	}
	return all, err
}

// isCloud reports whether a name is that of a model in Ollama's cloud.
func isCloud(model string) bool {
	return strings.HasSuffix(model, "-cloud") || strings.HasSuffix(model, ":cloud")
}

func (r *Router) listed(ctx context.Context, s config.Settings, p config.Provider) ([]Offer, error) {
	if err := allowed(s, p); err != nil {
		return nil, err
	}
	for {
		l, mine := r.listing(fmt.Sprintf("%q %q %q", p.Name, p.BaseURL, string(p.Key)))
		if mine {
			r.ask(ctx, s, p, l)
		}
		select {
		case <-l.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if mine || l.err == nil || ctx.Err() != nil || !r.options.Now().After(l.until) {
			return l.offers, l.err
		}
	}
}

// listing returns the current one, or a new one that the caller must fill.
func (r *Router) listing(id string) (l *listing, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l = r.listings[id]
	if l != nil {
		select {
		case <-l.done:
			if !r.options.Now().After(l.until) {
				return l, false
			}
		default:
			return l, false
		}
	}
	l = &listing{done: make(chan struct{})}
	r.listings[id] = l
	return l, true
}

// ask fills a listing. A cancelled call is not cached.
func (r *Router) ask(ctx context.Context, s config.Settings, p config.Provider, l *listing) {
	defer close(l.done)
	patience := ProbeTimeout
	if !p.Local() || !p.Usual {
		patience = NamedTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l.offers, l.err = r.options.Connector.Models(bounded, s, p)
	switch now := r.options.Now(); {
	case ctx.Err() != nil:
		l.err, l.until = ctx.Err(), now.Add(-time.Nanosecond)
	case l.err != nil:
		if bounded.Err() != nil {
			l.err = fmt.Errorf("%s did not answer within %s", p.Place(), patience)
		}
		l.until = now.Add(failureAge)
	default:
		l.until = now.Add(listingAge)
	}
}

// allowed rejects providers that the settings forbid, before a Connector is called.
func allowed(s config.Settings, p config.Provider) error {
	if s.Offline && !p.Local() {
		return fmt.Errorf("%s (%s) is not on this machine, and Forge is offline: %w", p.Title, p.Place(), offline(s))
	}
	return nil
}

// found is a server that answered, with its models.
type found struct {
	provider config.Provider
	offers   []Offer
}

// names returns those of the models.
func (f found) names() []string {
	var names []string
	for _, o := range f.offers {
		names = append(names, o.ID)
	}
	return names
}

// discover calls several servers concurrently, and returns those that answered, in their order.
func (r *Router) discover(ctx context.Context, s config.Settings, providers []config.Provider) []found {
	answers := make([]*found, len(providers))
	var asking sync.WaitGroup
	for i, p := range providers {
		asking.Go(func() {
			if offers, err := r.offers(ctx, s, p); err == nil {
				answers[i] = &found{p, offers}
			}
		})
	}
	asking.Wait()
	var all []found
	for _, answer := range answers {
		if answer != nil {
			all = append(all, *answer)
		}
	}
	return all
}

// hostedWindows are the documented contexts of hosted models, in tokens, by prefix of the name; the longest prefix applies.
var hostedWindows = map[string]int{
	"gpt-3.5-turbo": 16_385,
	"gpt-4":         8_192,
	"gpt-4-turbo":   128_000,
	"gpt-4o":        128_000,
	"chatgpt-4o":    128_000,
	"gpt-4.1":       1_047_576,
	"gpt-5":         400_000,
	"o1":            200_000,
	"o1-mini":       128_000,
	"o1-preview":    128_000,
	"o3":            200_000,
	"o4-mini":       200_000,
	"claude-":       200_000,
	"minimax-text":  1_000_192,
	"minimax-m1":    1_000_000,
	"minimax-m2":    204_800,
}

// hostedWindow returns the context of a hosted model; 0 if unknown.
func hostedWindow(model string) int {
	model, longest, window := strings.ToLower(model), -1, 0
	for beginning, tokens := range hostedWindows {
		if strings.HasPrefix(model, beginning) && len(beginning) > longest {
			longest, window = len(beginning), tokens
		}
	}
	return window
}

// Package route chooses the model for a piece of work: node of a run -> role -> tier -> model of a provider, with
// a replacement if that is missing.
//
//	settings ─► tier's model, or the default, or the first provider that applies
//	                │ on this machine: is it installed? else the best fit of what is, and a notice
//	                │ elsewhere and offline: a model of this machine instead, or an error
//	                ▼
//	          llm.Choice: adapter, window, rate, batch; fallback; notices
//
// It calls no server itself: a Connector lists models and creates adapters, and never gets a provider that the settings
// forbid. Connections are kept for the process, lists of models for a short time.
//
// Invariant: if the settings are offline, no Connector gets a provider that is not on loopback.
package route

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"forge/engine/config"
	"forge/engine/llm"
)

// Connector connects to providers.
type Connector interface {
	// Connect creates the adapter for a model. It may read files, but calls no server; the adapter may be dropped unused.
	Connect(s config.Settings, p config.Provider, model string) (llm.Model, error)
	// Models lists a provider's models. The context limits it.
	Models(ctx context.Context, s config.Settings, p config.Provider) ([]Offer, error)
}

// Offer is a model of a provider.
type Offer struct {
	ID     string
	Window int  // tokens, from the provider; 0 if unknown
	Remote bool // a server of this machine passes requests on to another one
}

// Options are the dependencies of a router.
type Options struct {
	// Settings returns those of a folder; empty is no folder. It may be called often.
	Settings  func(ctx context.Context, folder string) config.Settings
	Connector Connector
	Now       func() time.Time // nil is time.Now
}

// Router is an llm.Chooser. Close closes its connections.
type Router struct {
	options Options

	mu          sync.Mutex // guards the fields below
	told        map[string]bool
	connections map[string]llm.Model
	listings    map[string]*listing
}

var _ llm.Chooser = (*Router)(nil)

// New returns a router. It does no I/O.
func New(o Options) *Router {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Router{options: o, told: map[string]bool{}, connections: map[string]llm.Model{}, listings: map[string]*listing{}}
}

// Settings returns those of a folder.
func (r *Router) Settings(ctx context.Context, folder string) config.Settings {
	return r.options.Settings(ctx, folder)
}

// Choose implements llm.Chooser.
func (r *Router) Choose(ctx context.Context, n llm.Need) (llm.Choice, error) {
	s := r.options.Settings(ctx, n.Folder)
	s.OnlyRun = n.Offline
	s.Offline = s.Offline || n.Offline
	s.Name(n.Model, "the run")
	if s.Err != nil {
		return llm.Choice{}, s.Err
	}
	tier := TierOf(s, n)
	primary, err := r.resolve(ctx, s, tier)
	if err != nil {
		return llm.Choice{}, withNotices(err, s.Notices)
	}
	candidate, err := r.candidate(s, tier, primary)
	if err != nil {
		return llm.Choice{}, err // which describes what to do
	}
	choice := llm.Choice{Primary: candidate, Thinking: s.Thinking[n.Node]}
	notices := []string{primary.notice}
	if fallback, notice := r.fallback(ctx, s, tier, primary); fallback != nil || notice != "" {
		choice.Fallback, notices = fallback, append(notices, notice)
	}
	for _, n := range s.Notices {
		notices = append(notices, n.String())
	}
	choice.Notices = r.untold(notices)
	return choice, nil
}

// withNotices adds the notices of the settings to a missing model: they may be the cause.
func withNotices(err error, notices []config.Notice) error {
	if len(notices) == 0 {
		return err
	}
	var text strings.Builder
	for _, n := range notices {
		text.WriteString("\n  " + n.String())
	}
	return fmt.Errorf("%w\nYour settings may be why:%s", err, text.String())
}

// TierOf returns the tier of a need: its own, or that of its node.
func TierOf(s config.Settings, n llm.Need) llm.Tier {
	if n.Tier != "" {
		return n.Tier
	}
	if tier, is := s.Roles[n.Node]; is {
		return tier
	}
	return llm.Generation
}

// fallback returns the model to call if the primary one fails. Without one, the run continues without.
func (r *Router) fallback(ctx context.Context, s config.Settings, tier llm.Tier, primary target) (*llm.Candidate, string) {
	if !s.Fallback.Named() {
		return nil, ""
	}
	found, err := r.find(ctx, s, tier, s.Fallback)
	if err == nil && found.provider.Name == primary.provider.Name && found.model == primary.model {
		return nil, ""
	}
	var candidate llm.Candidate
	if err == nil {
		candidate, err = r.candidate(s, tier, found)
	}
	if err != nil {
		return nil, fmt.Sprintf("there is no fallback: %v", err)
	}
	return &candidate, found.notice
}

// candidate assembles the known properties of a model.
func (r *Router) candidate(s config.Settings, tier llm.Tier, t target) (llm.Candidate, error) {
	model, err := r.connect(s, t)
	if err != nil {
		return llm.Candidate{}, err
	}
	candidate := llm.Candidate{
		Model: model, Provider: t.provider.Name, ID: t.model, Local: t.provider.Local() && !t.remote,
		Window: windowOf(t.provider, Offer{ID: t.model, Window: t.window}), Rate: t.provider.Rate, Whole: s.Delivery[tier] == config.Sync,
	}
	if batcher, can := model.(llm.Batcher); can && s.Delivery[tier] == config.Batch {
		candidate.Batch = batcher
	}
	return candidate, nil
}

// windowOf returns the context of a model, in tokens; 0 if unknown.
func windowOf(p config.Provider, o Offer) int {
	if o.Window > 0 {
		return o.Window
	}
	if window := hostedWindow(o.ID); window > 0 && !p.Local() {
		return window
	}
	return Classify(o.ID).Window
}

// connect creates an adapter once for each model, address and key.
func (r *Router) connect(s config.Settings, t target) (llm.Model, error) {
	p := t.provider
	id := fmt.Sprintf("%q %q %q %q %q %v", p.Name, p.Kind, p.BaseURL, string(p.Key), t.model, s.Network)
	if model, there := r.connected(id); there {
		return model, nil
	}
	model, err := r.options.Connector.Connect(s, p, t.model)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if faster, there := r.connections[id]; there {
		return faster, nil
	}
	r.connections[id] = model
	return model, nil
}

func (r *Router) connected(id string) (model llm.Model, there bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	model, there = r.connections[id]
	return model, there
}

// untold returns the notices that were not returned before.
func (r *Router) untold(notices []string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []string
	for _, text := range notices {
		if text != "" && !r.told[text] {
			r.told[text] = true
			fresh = append(fresh, text)
		}
	}
	return fresh
}

// Close closes all connections. The router must not be used afterwards.
func (r *Router) Close() {
	r.mu.Lock()
	connections := r.connections
	r.connections = map[string]llm.Model{}
	r.mu.Unlock()
	for _, model := range connections {
		switch closer := model.(type) {
		case interface{ Close() }:
			closer.Close()
		case io.Closer:
			_ = closer.Close() // the error has no recipient
		}
	}
}

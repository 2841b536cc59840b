package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/config"
	"forge/engine/event"
	"forge/engine/llm"
)

// target is the resolved model for a need.
type target struct {
	provider config.Provider
	model    string
	window   int    // from the provider; 0 for none
	remote   bool   // a server of this machine passes requests on
	why      string // for users
	notice   string // set if it is not what the user named
}

// resolve finds the model of a tier.
func (r *Router) resolve(ctx context.Context, s config.Settings, tier llm.Tier) (target, error) {
	if ref, is := s.Tiers[tier]; is {
		return r.find(ctx, s, tier, ref)
	}
	if s.Default.Named() {
		return r.find(ctx, s, tier, s.Default)
	}
	return r.first(ctx, s, tier)
}

// find returns the model of a reference, or its replacement.
func (r *Router) find(ctx context.Context, s config.Settings, tier llm.Tier, ref config.Ref) (target, error) {
	p, known := provider(s, ref)
	if !known {
		return r.amongLocals(ctx, s, tier, ref)
	}
	if err := allowed(s, p); err != nil {
		return r.insteadOf(ctx, s, tier, p, ref.Model, err)
	}
	if p.Missing != "" && p.Key == "" {
		return target{}, event.NewRemedied(event.RemedyKey, p.Missing)
	}
	t := target{provider: p, model: ref.Model, why: ref.Source}
	if p.Local() && s.Offline && isCloud(ref.Model) {
		return r.insteadOf(ctx, s, tier, p, ref.Model, fmt.Errorf("%s passes %s on to another machine, and Forge is offline: %w", p.Title, ref.Model, offline(s)))
	}
	if !p.Local() || p.Pinned {
		return t, nil // the server itself reports whether it has it
	}
	offers, err := r.offers(ctx, s, p)
	if err != nil {
		return target{}, unreachable(p, err)
	}
	return standIn(t, tier, []found{{p, offers}})
}

func unreachable(p config.Provider, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s was asked what models it has: %s", p.Title, said(err))
}

// provider finds the provider of a reference. If it names none, the order is: FORGE_BASE_URL; a provider that lists the
// model; its maker, by its name; the user's first choice elsewhere. Providers on this machine must be called to know.
func provider(s config.Settings, ref config.Ref) (config.Provider, bool) {
	if ref.Provider != "" {
		return s.Provider(ref.Provider)
	}
	for _, is := range []func(config.Provider) bool{
		func(p config.Provider) bool { return p.Pinned },
		func(p config.Provider) bool { return slices.Contains(p.Models, ref.Model) },
		func(p config.Provider) bool { return !p.Usual && p.Name == makerOf(ref.Model) },
		func(p config.Provider) bool { return !p.Usual && !p.Local() },
	} {
		if i := slices.IndexFunc(s.Providers, is); i >= 0 {
			return s.Providers[i], true
		}
	}
	return config.Provider{}, false
}

// makerOf returns the provider whose models have names like this one; empty if ambiguous.
func makerOf(model string) string {
	makers := []struct{ beginning, provider string }{
		{"claude", "anthropic"}, {"gpt-", "openai"}, {"chatgpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"},
		{"minimax", "minimax"}, {"abab", "minimax"},
	}
	for _, maker := range makers {
		if strings.HasPrefix(strings.ToLower(model), maker.beginning) && !strings.HasPrefix(model, "gpt-oss") {
			return maker.provider
		}
	}
	return ""
}

// first returns the model if none is named: of the first suitable provider.
func (r *Router) first(ctx context.Context, s config.Settings, tier llm.Tier) (target, error) {
	for _, p := range s.Providers {
		switch {
		case p.Usual:
			continue
		case p.Pinned:
			return r.onlyOf(ctx, s, p)
		case allowed(s, p) != nil:
			continue
		case p.Missing != "" && p.Key == "":
			return target{}, event.NewRemedied(event.RemedyKey, p.Missing)
		case p.Preferred() != "":
			return r.find(ctx, s, tier, config.Ref{Provider: p.Name, Model: p.Preferred(), Source: p.Source})
		default:
			return r.suitable(ctx, s, tier, p)
		}
	}
	return r.amongLocals(ctx, s, tier, config.Ref{})
}

// onlyOf returns the model of FORGE_BASE_URL: the only one; otherwise the user has to choose.
func (r *Router) onlyOf(ctx context.Context, s config.Settings, p config.Provider) (target, error) {
	if err := allowed(s, p); err != nil {
		return target{}, err
	}
	offers, err := r.offers(ctx, s, p)
	switch {
	case errors.Is(err, context.Canceled):
		return target{}, err
	case err != nil || len(offers) == 0:
		return target{}, fmt.Errorf("%s is set, but not %s: set it to the model to ask there", config.EnvBaseURL, config.EnvModel)
	case len(offers) > 1:
		return target{}, &ChoiceError{found: []found{{p, offers}}}
	}
	return targetOf(p, offers[0], "the only model of "+p.Source), nil
}

// suitable returns the best model for a tier on a server that the user named without a model.
func (r *Router) suitable(ctx context.Context, s config.Settings, tier llm.Tier, p config.Provider) (target, error) {
	offers, err := r.offers(ctx, s, p)
	if err != nil {
		return target{}, unreachable(p, err)
	}
	best, ok := bestFit("", tier, inventory([]found{{p, offers}}))
	if !ok {
		return target{}, &ChoiceError{found: []found{{p, offers}}}
	}
	return targetOf(p, best.offer, fmt.Sprintf("suits %s best of what %s has", tier, p.Title)), nil
}

// amongLocals searches for a model on the servers of this machine that the user did not name. Without a name it
// takes the only model; if there are more, the user has to choose.
func (r *Router) amongLocals(ctx context.Context, s config.Settings, tier llm.Tier, ref config.Ref) (target, error) {
	servers := r.discover(ctx, s, locals(s))
	switch {
	case ctx.Err() != nil:
		return target{}, ctx.Err()
	case len(servers) == 0 && s.Offline:
		return target{}, fmt.Errorf("no server on this machine answers, and Forge is offline: %w", offline(s))
	case len(servers) == 0:
		return target{}, ErrNoModel
	case ref.Named():
		return standIn(target{model: ref.Model, why: ref.Source}, tier, servers)
	case len(servers) == 1 && len(servers[0].offers) == 1:
		return targetOf(servers[0].provider, servers[0].offers[0], "the only model on this machine"), nil
	}
	return target{}, &ChoiceError{found: servers}
}

// locals returns the servers of this machine.
func locals(s config.Settings) []config.Provider {
	return slices.DeleteFunc(slices.Clone(s.Providers), func(p config.Provider) bool { return !p.Local() || p.Pinned && !s.Offline })
}

// insteadOf returns a model of this machine for one elsewhere that may not be called.
func (r *Router) insteadOf(ctx context.Context, s config.Settings, tier llm.Tier, p config.Provider, model string, refused error) (target, error) {
	servers := r.discover(ctx, s, locals(s))
	if ctx.Err() != nil {
		return target{}, ctx.Err()
	}
	best, ok := bestFit(model, tier, inventory(servers))
	if !ok {
		return target{}, refused
	}
	t := targetOf(best.provider, best.offer, "replaces "+model+", because Forge is offline")
	t.notice = fmt.Sprintf("Forge is offline, and %s of %s is not on this machine: %s on %s replaces it",
		model, p.Title, t.model, t.provider.Title)
	return t, nil
}

// standIn returns the target on one of the servers, or the best replacement on any of them.
func standIn(wanted target, tier llm.Tier, servers []found) (target, error) {
	for _, server := range servers {
		if offer, is := isInstalled(wanted.model, server.offers); is {
			return targetOf(server.provider, offer, wanted.why), nil
		}
	}
	best, ok := bestFit(wanted.model, tier, inventory(servers))
	if !ok {
		return target{}, &ChoiceError{Wanted: wanted.model, found: servers}
	}
	t := targetOf(best.provider, best.offer, "replaces "+wanted.model+", which is not installed")
	t.notice = fmt.Sprintf("%s is not installed on %s: %s on %s replaces it. Install it, or name another one (it comes from %s)",
		wanted.model, titles(servers), t.model, t.provider.Title, wanted.why)
	return t, nil
}

func targetOf(p config.Provider, o Offer, why string) target {
	return target{provider: p, model: o.ID, window: o.Window, remote: o.Remote, why: why}
}

func titles(servers []found) string {
	var names []string
	for _, server := range servers {
		names = append(names, server.provider.Title)
	}
	return strings.Join(names, " or ")
}

func inventory(servers []found) []installed {
	var all []installed
	for _, server := range servers {
		for _, offer := range server.offers {
			all = append(all, installed{server.provider, offer, Classify(offer.ID)})
		}
	}
	return all
}

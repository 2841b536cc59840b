package route

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"forge/engine/config"
	"forge/engine/llm"
)

// Survey lists the models, and their tiers.
type Survey struct {
	Settings  config.Settings
	Providers []Standing
	Tiers     []Assignment // one for each tier
	Roles     []Role       // by name
	Fallback  *Assignment  // nil if the user named none
}

// Standing is the state of a provider.
type Standing struct {
	Provider config.Provider
	State    State
	Detail   string // why it does not answer, or advice
	Models   []Known
}

// State is whether a provider can be called.
type State string

// The states.
const (
	Answers  State = "answers"
	Silent   State = "silent"    // it was called, and did not answer
	Fails    State = "fails"     // it answers with an error: a wrong key, a wrong address, no credit
	NoKey    State = "no key"    // it is not called without one
	NotAsked State = "not asked" // the settings forbid it
)

// Known is a model with its data in the catalogue.
type Known struct {
	Offer
	Kin
}

// Assignment is the model for a tier.
type Assignment struct {
	Tier     llm.Tier // empty for the fallback
	Provider config.Provider
	Model    string
	Window   int    // tokens; 0 if unknown
	Local    bool   // requests stay on this machine
	Why      string // for users
	Notice   string // set if it replaces another one
	Err      error  // there is none; describes what to do
}

// Role is a node of runs and its tier.
type Role struct {
	Node string
	Tier llm.Tier
}

// SurveyOptions restrict a survey.
type SurveyOptions struct {
	Folder   string
	Provider string // only this one is listed; empty is all
	Local    bool   // only those of this machine are listed
}

// Survey lists the models of every permitted provider. Hosted ones bill nothing for that.
func (r *Router) Survey(ctx context.Context, o SurveyOptions) Survey {
	s := r.options.Settings(ctx, o.Folder)
	result := Survey{Settings: s, Providers: r.standings(ctx, s, o)}
	for _, tier := range config.Tiers() {
		result.Tiers = append(result.Tiers, r.assigned(ctx, s, tier))
	}
	for _, node := range slices.Sorted(maps.Keys(s.Roles)) {
		result.Roles = append(result.Roles, Role{node, s.Roles[node]})
	}
	if s.Fallback.Named() && s.Err == nil {
		a := assignment(r.find(ctx, s, llm.Generation, s.Fallback))
		result.Fallback = &a
	}
	return result
}

// Assigned returns the model of a tier in a folder, without connecting to it.
func (r *Router) Assigned(ctx context.Context, folder string, tier llm.Tier) Assignment {
	return r.assigned(ctx, r.options.Settings(ctx, folder), tier)
}

func (r *Router) assigned(ctx context.Context, s config.Settings, tier llm.Tier) Assignment {
	if s.Err != nil {
		return Assignment{Tier: tier, Err: s.Err}
	}
	a := assignment(r.resolve(ctx, s, tier))
	a.Tier = tier
	return a
}

func assignment(t target, err error) Assignment {
	if err != nil {
		return Assignment{Err: err}
	}
	return Assignment{
		Provider: t.provider, Model: t.model, Window: windowOf(t.provider, Offer{ID: t.model, Window: t.window}),
		Local: t.provider.Local() && !t.remote, Why: t.why, Notice: t.notice,
	}
}

// standings calls all providers concurrently.
func (r *Router) standings(ctx context.Context, s config.Settings, o SurveyOptions) []Standing {
	var chosen []config.Provider
	for _, p := range s.Providers {
		if (o.Provider == "" || p.Name == o.Provider) && (!o.Local || p.Local()) {
			chosen = append(chosen, p)
		}
	}
	standings := make([]Standing, len(chosen))
	var asking sync.WaitGroup
	for i, p := range chosen {
		asking.Go(func() { standings[i] = r.standing(ctx, s, p) })
	}
	asking.Wait()
	return standings
}

func (r *Router) standing(ctx context.Context, s config.Settings, p config.Provider) Standing {
	standing := Standing{Provider: p}
	switch {
	case s.Err != nil:
		standing.State, standing.Detail = NotAsked, s.Err.Error()
		return standing
	case allowed(s, p) != nil:
		standing.State, standing.Detail = NotAsked, "Forge is offline, and it is not on this machine"
		return standing
	case p.Missing != "" && p.Key == "":
		standing.State, standing.Detail = NoKey, p.Missing
		return standing
	}
	offers, err := r.offers(ctx, s, p)
	if err != nil {
		standing.State, standing.Detail = stateOf(err), said(err)
		return standing
	}
	standing.State = Answers
	for _, offer := range offers {
		kin := Classify(offer.ID)
		kin.Window = windowOf(p, offer)
		standing.Models = append(standing.Models, Known{offer, kin})
	}
	return standing
}

// stateOf distinguishes a wrong answer from none.
func stateOf(err error) State {
	var failed *llm.Error
	if errors.As(err, &failed) && !failed.Unsent && (failed.Status != 0 || failed.Kind != llm.KindTransient) {
		return Fails
	}
	return Silent
}

// said returns the message of a failed call, without the name of a model.
func said(err error) string {
	var failed *llm.Error
	if errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}

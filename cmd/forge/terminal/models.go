package terminal

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"forge/api"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/route"
	"forge/engine/spend"
)

// ModelChecks are the checks of forge doctor for providers, keys and settings. They contain no key.
func (p *Parts) ModelChecks(ctx context.Context) []checks.Check {
	found := p.router.Survey(ctx, route.SurveyOptions{})
	var all []checks.Check
	for _, notice := range found.Settings.Notices {
		all = append(all, checks.Check{Name: "settings", State: checks.CheckWarning, Detail: notice.String()})
	}
	if found.Settings.Offline {
		all = append(all, checks.Check{Name: "offline", State: checks.CheckOK, Detail: "only servers on this machine are used"})
	}
	for _, s := range found.Providers {
		if !s.Provider.Usual || s.State == route.Answers {
			all = append(all, providerCheck(s, isUsed(s, found)))
		}
	}
	if a := ofGeneration(found); a.Notice != "" {
		all = append(all, checks.Check{Name: "stand-in", State: checks.CheckWarning, Detail: a.Notice})
	}
	return all
}

// isUsed reports whether a tier uses the provider.
func isUsed(s route.Standing, found route.Survey) bool {
	return slices.ContainsFunc(found.Tiers, func(a route.Assignment) bool { return a.Err == nil && a.Provider.Name == s.Provider.Name })
}

func ofGeneration(found route.Survey) route.Assignment {
	for _, a := range found.Tiers {
		if a.Tier == llm.Generation {
			return a
		}
	}
	return route.Assignment{}
}

// providerCheck fails if runs would use a provider that does not answer.
func providerCheck(s route.Standing, used bool) checks.Check {
	check := checks.Check{Name: "provider", State: checks.CheckOK}
	name := s.Provider.Name + " at " + s.Provider.Place()
	switch s.State {
	case route.Answers:
		check.Detail = fmt.Sprintf("%s answers, %s", name, event.Count(len(s.Models), "model"))
	case route.NotAsked:
		check.Detail = name + " is not used: " + s.Detail
	default:
		check.State = checks.CheckWarning
		if used {
			check.State = checks.CheckMissing
		}
		check.Detail = name + ": " + s.Detail
		if strings.Contains(s.Detail, s.Provider.Place()) {
			check.Detail = s.Provider.Name + ": " + s.Detail
		}
	}
	if s.Provider.KeySource != "" && s.State != route.NotAsked {
		check.Detail = strings.TrimRight(check.Detail, ".?") + "; key from " + strings.TrimPrefix(s.Provider.KeySource, "the ")
	}
	return check
}

// Survey answers forge.models with the settings of a folder, given by its path; empty means no folder.
func (p *Parts) Survey(ctx context.Context, folder string, a api.ModelsArgs) api.ModelsResult {
	o := route.SurveyOptions{Folder: folder, Provider: a.Provider, Local: a.Local}
	prices, err := spend.LoadPrices(filepath.Join(p.State, "prices.yaml"))
	result := api.ModelsOf(p.router.Survey(ctx, o), func(c llm.Candidate) *api.Price { return priceOf(prices, c) })
	if err != nil {
		result.Notices = append(result.Notices, err.Error())
	}
	return result
}

func priceOf(prices spend.Prices, c llm.Candidate) *api.Price {
	tariff := prices.Of(c)
	switch {
	case tariff.Free:
		return &api.Price{}
	case !tariff.Known:
		return nil
	}
	const micro = 1e6
	return &api.Price{Input: float64(tariff.Input) / micro, Output: float64(tariff.Output) / micro}
}

package api

import (
	"cmp"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/route"
)

// Pricing returns the price of a model's tokens; nil if it is unknown.
type Pricing func(c llm.Candidate) *Price

// ModelsOf returns a survey of models as it goes over the wire.
func ModelsOf(s route.Survey, price Pricing) ModelsResult {
	result := ModelsResult{
		Offline: s.Settings.Offline, Notices: list(s.Settings.Notices, config.Notice.String),
		Providers: list(s.Providers, func(p route.Standing) ModelProvider { return providerOf(p, price) }),
		Tiers: list(s.Tiers, func(a route.Assignment) TierModel {
			return tierOf(a, s, price)
		}),
	}
	if s.Settings.Err != nil {
		result.Notices = append(result.Notices, s.Settings.Err.Error())
	}
	if s.Fallback != nil {
		fallback := tierOf(*s.Fallback, s, price)
		result.Fallback = &fallback
	}
	return result
}

func providerOf(s route.Standing, price Pricing) ModelProvider {
	p := s.Provider
	return ModelProvider{
		Name: p.Name, Title: p.Title, Kind: string(p.Kind), Where: p.Place(), Local: p.Local(), State: string(s.State),
		Detail: s.Detail, Key: p.KeySource, Source: p.Source,
		Models: list(s.Models, func(m route.Known) ModelInfo {
			return ModelInfo{
				Name: m.ID, Family: m.Family, Class: string(m.Class), Tiers: names(m.Roles), Window: m.Kin.Window, Remote: m.Remote,
				Price: priceOf(price, llm.Candidate{Provider: p.Name, ID: m.ID, Local: p.Local() && !m.Remote}),
			}
		}),
	}
}

func tierOf(a route.Assignment, s route.Survey, price Pricing) TierModel {
	wire := TierModel{Tier: string(a.Tier), Delivery: string(s.Settings.Delivery[a.Tier])}
	for _, role := range s.Roles {
		if role.Tier == cmp.Or(a.Tier, "none") {
			wire.Roles = append(wire.Roles, role.Node)
		}
	}
	if a.Err != nil {
		wire.Error = a.Err.Error()
		return wire
	}
	wire.Provider, wire.Model, wire.Window, wire.Local = a.Provider.Name, a.Model, a.Window, a.Local
	wire.Why, wire.Notice = a.Why, a.Notice
	wire.Price = priceOf(price, llm.Candidate{Provider: a.Provider.Name, ID: a.Model, Local: a.Local})
	return wire
}

func priceOf(price Pricing, c llm.Candidate) *Price {
	if price == nil {
		return nil
	}
	return price(c)
}

func names[T ~string](values []T) []string {
	return list(values, func(v T) string { return string(v) })
}

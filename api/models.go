package api

import (
	"cmp"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/route"
)

// ModelsArgs filter the list of models.
type ModelsArgs struct {
	Provider string `json:"provider,omitempty" doc:"only this provider; without it all"`
	Local    bool   `json:"local,omitempty" doc:"only providers on this machine"`
	Folder   string `json:"folder,omitempty" doc:"URI of the workspace folder whose settings apply; without it the only one"`
}

// ModelsResult lists providers, models and the model of each tier.
type ModelsResult struct {
	Offline   bool            `json:"offline" doc:"Forge sends requests to this machine only"`
	Providers []ModelProvider `json:"providers"`
	Tiers     []TierModel     `json:"tiers"`
	Fallback  *TierModel      `json:"fallback,omitempty" doc:"used if the model of a tier fails"`
	Notices   []string        `json:"notices" doc:"problems of the settings"`
}

// ModelProvider is a configured provider.
type ModelProvider struct {
	Name   string      `json:"name" doc:"its name in the settings"`
	Title  string      `json:"title"`
	Kind   string      `json:"kind" enum:"openai,anthropic,ollama,mmx,openai-compatible"`
	Where  string      `json:"where" doc:"host of its address"`
	Local  bool        `json:"local" doc:"on this machine"`
	State  string      `json:"state" enum:"answers,silent,fails,no key,not asked"`
	Detail string      `json:"detail,omitempty" doc:"why it does not answer, or how to fix that"`
	Key    string      `json:"key,omitempty" doc:"where the key is stored, never the key itself"`
	Source string      `json:"source,omitempty" doc:"the setting or variable it comes from"`
	Models []ModelInfo `json:"models"`
}

// ModelInfo is one model.
type ModelInfo struct {
	Name   string   `json:"name"`
	Family string   `json:"family,omitempty" doc:"of the catalogue of local models"`
	Class  string   `json:"class,omitempty" enum:"code,general,reasoning,small,multilingual"`
	Tiers  []string `json:"tiers,omitempty" doc:"tiers it is suited for, the best first"`
	Window int      `json:"window,omitempty" doc:"context window in tokens, request and answer; missing if unknown"`
	Remote bool     `json:"remote,omitempty" doc:"the server forwards requests to another machine"`
	Price  *Price   `json:"price,omitempty" doc:"missing if unknown"`
}

// Price is the price of a model's tokens, in US dollars per million tokens.
type Price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// TierModel is the model chosen for a tier.
type TierModel struct {
	Tier     string   `json:"tier,omitempty" enum:"reasoning,generation,summarisation,classification"`
	Roles    []string `json:"roles,omitempty" doc:"nodes of runs that use the tier"`
	Provider string   `json:"provider,omitempty"`
	Model    string   `json:"model,omitempty"`
	Window   int      `json:"window,omitempty" doc:"context window in tokens, request and answer; missing if unknown"`
	Local    bool     `json:"local,omitempty" doc:"requests stay on this machine"`
	Price    *Price   `json:"price,omitempty" doc:"missing if unknown"`
	Delivery string   `json:"delivery,omitempty" doc:"how answers are delivered; stream by default" enum:"stream,sync,batch"`
	Why      string   `json:"why,omitempty" doc:"the setting or rule that chose it"`
	Notice   string   `json:"notice,omitempty" doc:"which model it replaces, and why"`
	Error    string   `json:"error,omitempty" doc:"why there is no model, and how to fix that"`
}

// ModelSettings are the client's settings forge.models. Providers, keys and addresses come only from the user's own file.
type ModelSettings struct {
	Default  string            `json:"default,omitempty"`  // "provider/model"
	Tiers    map[string]string `json:"tiers,omitempty"`    // tier -> "provider/model"
	Roles    map[string]string `json:"roles,omitempty"`    // node of a run -> tier
	Thinking map[string]int    `json:"thinking,omitempty"` // node of a run -> tokens
	Fallback string            `json:"fallback,omitempty"` // "provider/model"
	Offline  bool              `json:"offline,omitempty"`  // true only: a client cannot turn it off
	Delivery map[string]string `json:"delivery,omitempty"` // tier -> stream, sync or batch
	Cache    *bool             `json:"cache,omitempty"`
}

// Pricing returns the price of a model's tokens; nil if it is unknown.
type Pricing func(c llm.Candidate) *Price

// ModelsOf converts a survey of models to the wire.
func ModelsOf(s route.Survey, price Pricing) ModelsResult {
	result := ModelsResult{
		Offline: s.Settings.Offline, Notices: List(s.Settings.Notices, config.Notice.String),
		Providers: List(s.Providers, func(p route.Standing) ModelProvider { return providerOf(p, price) }),
		Tiers: List(s.Tiers, func(a route.Assignment) TierModel {
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
		Models: List(s.Models, func(m route.Known) ModelInfo {
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
	return List(values, func(v T) string { return string(v) })
}

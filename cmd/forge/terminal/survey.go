package terminal

import (
	"context"
	"path/filepath"

	"forge/api"
	"forge/engine/llm"
	"forge/engine/route"
	"forge/engine/spend"
)

// Survey answers forge.models with the settings of a folder, by its path; empty is none.
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

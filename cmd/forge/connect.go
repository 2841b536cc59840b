package main

import (
	"context"
	"fmt"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/llm/ollama"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
	"forge/engine/route"
)

// connector makes the adapters of providers.
type connector struct {
	environ []string
	clients wire.Clients
}

var _ route.Connector = (*connector)(nil)

// Connect implements route.Connector.
func (c *connector) Connect(s config.Settings, p config.Provider, model string) (llm.Model, error) {
	options, err := c.options(s, p, model)
	if err != nil {
		return nil, err
	}
	switch p.Kind {
	case config.KindOpenAI, config.KindCompatible:
		return openai.New(options), nil
	case config.KindOllama:
		return ollama.New(ollama.Options{Options: options}), nil
	}
	return nil, fmt.Errorf("the provider %s is of a kind that this Forge does not know: %s", p.Name, p.Kind)
}

// Models implements route.Connector.
func (c *connector) Models(ctx context.Context, s config.Settings, p config.Provider) ([]route.Offer, error) {
	const any = "any model"
	options, err := c.options(s, p, any)
	if err != nil {
		return nil, err
	}
	switch p.Kind {
	case config.KindOllama:
		return ollamaOffers(ctx, options)
	case config.KindOpenAI, config.KindCompatible:
		client := openai.New(options)
		return offersOf(client.Models(ctx))
	}
	return nil, fmt.Errorf("the provider %s is of a kind that this Forge does not know: %s", p.Name, p.Kind)
}

func ollamaOffers(ctx context.Context, o wire.Options) ([]route.Offer, error) {
	models, err := ollama.Tags(ctx, o)
	var offers []route.Offer
	for _, m := range models {
		offers = append(offers, route.Offer{ID: m.Name, Remote: m.Remote})
	}
	return offers, err
}

func offersOf(names []string, err error) ([]route.Offer, error) {
	var offers []route.Offer
	for _, name := range names {
		offers = append(offers, route.Offer{ID: name})
	}
	return offers, err
}

// options are those of an adapter over HTTP.
func (c *connector) options(s config.Settings, p config.Provider, model string) (wire.Options, error) {
	client, err := c.clients.For(wire.Network{
		HTTPProxy: s.Network.HTTPProxy, HTTPSProxy: s.Network.AnyProxy, NoProxy: s.Network.NoProxy,
		CAFiles: s.Network.CAFiles, LoopbackOnly: s.Offline,
	})
	if err != nil {
		return wire.Options{}, err
	}
	return wire.Options{BaseURL: p.BaseURL, Key: string(p.Key), Model: model, HTTP: client, TagRequests: s.TagRequests}, nil
}

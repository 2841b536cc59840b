package terminal

import (
	"context"
	"os"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/mmx"
	"forge/engine/llm/ollama"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
	"forge/engine/route"
	"forge/engine/sandbox"
)

// connector creates the adapters of providers.
type connector struct {
	environ []string
	runner  sandbox.Runner
	clients wire.Clients
}

var _ route.Connector = (*connector)(nil)

func newConnector(environ []string) *connector {
	return &connector{environ: environ, runner: sandbox.New(sandbox.Options{Environ: environ})}
}

// Connect implements route.Connector.
func (c *connector) Connect(s config.Settings, p config.Provider, model string) (llm.Model, error) {
	if p.Kind == config.KindMMX {
		return c.mmx(s, p, model)
	}
	options, err := c.options(s, p, model)
	if err != nil {
		return nil, err
	}
	switch p.Kind {
	case config.KindAnthropic:
		return anthropic.New(options), nil
	case config.KindOllama:
		return ollama.New(ollama.Options{Options: options}), nil
	default:
		return openai.New(options), nil
	}
}

// mmx returns an adapter of MiniMax's command line, but not of a program in the folder of a run or in the working directory.
func (c *connector) mmx(s config.Settings, p config.Provider, model string) (llm.Model, error) {
	var open []string
	if s.Folder != "" {
		open = append(open, s.Folder)
	}
	if here, err := os.Getwd(); err == nil {
		open = append(open, here)
	}
	program, err := mmx.Find(c.environ, open...)
	if err != nil {
		return nil, err
	}
	return mmx.New(mmx.Options{
		Program: program, Runner: c.runner, Model: model, Key: string(p.Key), BaseURL: p.BaseURL, Environ: c.environ,
	}), nil
}

// Models implements route.Connector.
func (c *connector) Models(ctx context.Context, s config.Settings, p config.Provider) ([]route.Offer, error) {
	if p.Kind == config.KindMMX { // it cannot list its models
		_, err := c.mmx(s, p, p.Preferred())
		return offersOf(p.Listed(), err)
	}
	options, err := c.options(s, p, "any model")
	if err != nil {
		return nil, err
	}
	switch p.Kind {
	case config.KindOllama:
		return ollamaOffers(ctx, options)
	case config.KindAnthropic:
		return offersOf(anthropic.New(options).Models(ctx))
	default:
		return offersOf(openai.New(options).Models(ctx))
	}
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

// networkOf returns the network settings for servers of models and MCP servers.
func networkOf(s config.Settings) wire.Network {
	return wire.Network{
		HTTPProxy: s.Network.HTTPProxy, HTTPSProxy: s.Network.AnyProxy, NoProxy: s.Network.NoProxy,
		CAFiles: s.Network.CAFiles, LoopbackOnly: s.Offline,
	}
}

// options returns the options of an adapter over HTTP.
func (c *connector) options(s config.Settings, p config.Provider, model string) (wire.Options, error) {
	client, err := c.clients.For(networkOf(s))
	if err != nil {
		return wire.Options{}, err
	}
	return wire.Options{
		BaseURL: p.BaseURL, Key: string(p.Key), KeyHint: keyHint(p), Model: model, HTTP: client, TagRequests: s.TagRequests,
	}, nil
}

// keyHint returns where to set a missing key. Empty means the adapter's own hint, forge setup, which stores no key for a server that
// the environment names.
func keyHint(p config.Provider) string {
	if p.Pinned {
		return "set " + config.EnvKey
	}
	return ""
}

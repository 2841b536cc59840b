package route_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/route"
)

const (
	secret   = "sk-canary-51c0ffee"
	ollama   = "http://127.0.0.1:11434"
	lmstudio = "http://127.0.0.1:1234/v1"
	vllm     = "http://127.0.0.1:8000/v1"
	other    = "http://10.0.0.7:9000/v1"
	openai   = "https://api.openai.com/v1"
)

// servers are what answers at which base URL, and what was asked of them.
type servers struct {
	offers map[string][]route.Offer
	silent bool // nothing answers before its context ends

	mu        sync.Mutex // guards what follows
	listed    []string
	connected []*model
}

func serving(models map[string][]string) *servers {
	s := &servers{offers: map[string][]route.Offer{}}
	for base, names := range models {
		s.offers[base] = []route.Offer{}
		for _, name := range names {
			s.offers[base] = append(s.offers[base], route.Offer{ID: name})
		}
	}
	return s
}

func (s *servers) Models(ctx context.Context, _ config.Settings, p config.Provider) ([]route.Offer, error) {
	s.mu.Lock()
	s.listed = append(s.listed, p.BaseURL)
	s.mu.Unlock()
	if s.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	offers, up := s.offers[p.BaseURL]
	if !up {
		return nil, errors.New("nothing listens there")
	}
	return offers, nil
}

func (s *servers) Connect(_ config.Settings, p config.Provider, name string) (llm.Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &model{name: name + " at " + p.Place()}
	s.connected = append(s.connected, m)
	if p.Kind == config.KindOpenAI {
		return &batching{model: m}, nil
	}
	return m, nil
}

// asked lists the base URLs that were asked or connected to.
func (s *servers) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.listed...)
}

// model is an adapter that answers nothing.
type model struct {
	name   string
	closed bool
}

func (m *model) Name() string { return m.name }
func (m *model) Close()       { m.closed = true }

func (m *model) Complete(context.Context, llm.Request, func(string)) (llm.Response, error) {
	return llm.Response{}, errors.New("not asked here")
}

// batching is an adapter whose provider takes batches.
type batching struct {
	*model
	llm.Batcher
}

// harness is the user's environment and file.
type harness struct {
	vars    map[string]string
	change  func(s *config.Settings)
	servers *servers
}

func (d harness) router(t *testing.T) *route.Router {
	t.Helper()
	if d.servers == nil {
		d.servers = serving(nil)
	}
	settings := config.Load(config.Sources{Environ: func(name string) string { return d.vars[name] }})
	if d.change != nil {
		d.change(&settings)
	}
	r := route.New(route.Options{Settings: func(context.Context, string) config.Settings { return settings }, Connector: d.servers})
	t.Cleanup(r.Close)
	return r
}

// ref makes a reference to a model.
func ref(provider, model string) config.Ref {
	return config.Ref{Provider: provider, Model: model, Source: "models.default"}
}

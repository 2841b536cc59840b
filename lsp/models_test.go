package lsp_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/checks"
	"forge/lsp"
	"forge/lsp/lsptest"
)

func TestModels_AreListed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var asked api.ModelsArgs
		want := api.ModelsResult{
			Providers: []api.ModelProvider{{Name: "ollama", Kind: "ollama", State: "answers", Models: []api.ModelInfo{{Name: "llama3"}}}},
			Tiers:     []api.TierModel{{Tier: "generation", Model: "llama3"}}, Notices: []string{"config.yaml:3: no"},
		}
		d := &harness{t: t, Editor: lsptest.Start(t, lsp.Options{
			Engine: (&fakeEngine{}).parts(),
			Models: func(_ context.Context, folder string, a api.ModelsArgs) api.ModelsResult {
				require.Empty(t, folder)
				asked = a
				return want
			},
			ModelChecks: func(context.Context) []checks.Check {
				return []checks.Check{{Name: "provider", State: checks.CheckMissing, Detail: "ollama is silent"}}
			},
		})}
		d.Initialize(nil)
		var got api.ModelsResult
		require.NoError(t, d.execute(api.Models, api.ModelsArgs{Provider: "ollama", Local: true}, &got))
		require.Equal(t, want, got)
		require.Equal(t, api.ModelsArgs{Provider: "ollama", Local: true}, asked)
		require.Error(t, d.execute(api.Models, api.ModelsArgs{Folder: "file:///nowhere"}, &got))

		var doctor api.DoctorResult
		require.NoError(t, d.execute(api.Doctor, nil, &doctor))
		require.Contains(t, doctor.Checks, api.DoctorCheck{Name: "provider", State: "missing", Detail: "ollama is silent"})
		require.False(t, doctor.OK)
	})
}

// configured is what a server took of its client's settings.
type configured struct {
	mu    sync.Mutex // guards taken
	taken []api.ModelSettings
	more  chan struct{}
}

func (c *configured) take(m api.ModelSettings) {
	c.mu.Lock()
	c.taken = append(c.taken, m)
	c.mu.Unlock()
	c.more <- struct{}{}
}

func (c *configured) last() api.ModelSettings {
	<-c.more
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken[len(c.taken)-1]
}

func TestModels_SettingsOfTheClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		took := &configured{more: make(chan struct{}, 10)}
		var log strings.Builder
		e := lsptest.Start(t, lsp.Options{Engine: (&fakeEngine{}).parts(), Configure: took.take, Log: slog.New(slog.NewTextHandler(&log, nil))})
		settings := `{"default":"ollama/qwen","tiers":{"reasoning":"work/big"},"offline":true,"baseURL":"http://evil","providers":[1]}`
		var mu sync.Mutex
		e.Handle(protocol.MethodWorkspaceConfiguration, func([]byte) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			return []protocol.LSPAny{protocol.LSPAny(settings)}, nil
		})
		e.Initialize(func(p *protocol.InitializeParams) {
			yes := true
			p.Capabilities.Workspace.Configuration = &yes
			p.Capabilities.Workspace.DidChangeConfiguration = &protocol.DidChangeConfigurationClientCapabilities{DynamicRegistration: &yes}
		})
		require.Equal(t, api.ModelSettings{Default: "ollama/qwen", Tiers: map[string]string{"reasoning": "work/big"}, Offline: true}, took.last())
		synctest.Wait()
		require.Contains(t, log.String(), "a part of the settings forge.models has no effect")
		require.Contains(t, log.String(), "baseURL")
		require.Contains(t, string(e.Expect(protocol.MethodClientRegisterCapability, nil)), "workspace/didChangeConfiguration")
		mu.Lock()
		settings = "null"
		mu.Unlock()
		e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")})
		require.Equal(t, api.ModelSettings{}, took.last())
	})
}

func TestModels_SettingsOfAClientThatCannotBeAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		took := &configured{more: make(chan struct{}, 10)}
		e := lsptest.Start(t, lsp.Options{Engine: (&fakeEngine{}).parts(), Configure: took.take})
		e.Initialize(func(p *protocol.InitializeParams) { p.Capabilities.Workspace.Configuration = nil })
		tell := func(settings string) {
			e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny(settings)})
		}
		tell(`{"forge":{"models":{"fallback":"ollama/phi3"}}}`)
		require.Equal(t, api.ModelSettings{Fallback: "ollama/phi3"}, took.last())
		tell(`{"forge":{"models":{"fallback":7}}}`) // which is left alone
		tell(`[]`)
		tell(`{"forge":{"models":{"default":"ollama/x"}}}`)
		require.Equal(t, api.ModelSettings{Default: "ollama/x"}, took.last())
	})
}

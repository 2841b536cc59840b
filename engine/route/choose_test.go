package route_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/route"
)

func TestChoose_DefaultsWithoutSettings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		vars   map[string]string
		models map[string][]string
		want   string // the adapter's name
		asks   int    // how many lists are asked for
	}{
		"Forge's own variables first": {
			vars: map[string]string{"FORGE_BASE_URL": other, "FORGE_MODEL": "m", "OPENAI_API_KEY": secret}, want: "m at 10.0.0.7:9000",
		},
		"the only model of that server": {
			vars: map[string]string{"FORGE_BASE_URL": other}, models: map[string][]string{other: {"only"}}, want: "only at 10.0.0.7:9000", asks: 1,
		},
		"OpenAI": {
			vars: map[string]string{"OPENAI_API_KEY": secret}, models: map[string][]string{ollama: {"llama3"}}, want: "gpt-4o-mini at api.openai.com",
		},
		"OpenAI with another model": {
			vars: map[string]string{"OPENAI_API_KEY": secret, "FORGE_MODEL": "gpt-5"}, want: "gpt-5 at api.openai.com",
		},
		"Anthropic": {
			vars: map[string]string{"ANTHROPIC_API_KEY": secret}, want: "claude-sonnet-4-5 at api.anthropic.com",
		},
		"OpenAI before Anthropic": {
			vars: map[string]string{"ANTHROPIC_API_KEY": secret, "OPENAI_API_KEY": "sk-other"}, want: "gpt-4o-mini at api.openai.com",
		},
		"of any provider": {
			vars: map[string]string{"ANTHROPIC_API_KEY": secret, "OPENAI_API_KEY": "sk-other", "FORGE_MODEL": "claude-opus-4-1"}, want: "claude-opus-4-1 at api.anthropic.com",
		},
		"the provider that is named": {
			vars: map[string]string{"MINIMAX_API_KEY": secret, "OPENAI_API_KEY": "sk-other", "FORGE_MODEL": "minimax/MiniMax-M1"}, want: "MiniMax-M1 at api.minimax.io",
		},
		"the only local server with its only model": {
			models: map[string][]string{ollama: {"llama3"}}, want: "llama3 at 127.0.0.1:11434", asks: 4,
		},
		"the local server that has the model": {
			vars: map[string]string{"FORGE_MODEL": "qwen"}, models: map[string][]string{ollama: {"llama3", "phi"}, vllm: {"x", "qwen"}}, want: "qwen at 127.0.0.1:8000", asks: 4,
		},
		"the first local server of two that have it": {
			vars: map[string]string{"FORGE_MODEL": "qwen"}, models: map[string][]string{vllm: {"qwen"}, ollama: {"qwen"}}, want: "qwen at 127.0.0.1:11434", asks: 4,
		},
		"Ollama where OLLAMA_HOST says": {
			vars: map[string]string{"OLLAMA_HOST": "127.0.0.1:4000"}, models: map[string][]string{"http://127.0.0.1:4000": {"llama3", "qwen2.5-coder:7b"}},
			want: "qwen2.5-coder:7b at 127.0.0.1:4000", asks: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := harness{vars: test.vars, servers: serving(test.models)}
			choice, err := d.router(t).Choose(t.Context(), llm.Need{})
			require.NoError(t, err)
			require.Equal(t, test.want, choice.Primary.Model.Name())
			require.Empty(t, choice.Notices)
			require.Len(t, d.servers.asked(), test.asks)
		})
	}
}

func TestChoose_ThereIsNoModelToChoose(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		vars   map[string]string
		change func(*config.Settings)
		models map[string][]string
		says   []string
	}{
		"nothing at all":     {says: []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "forge setup", "start Ollama", "forge demo", "FORGE_BASE_URL"}},
		"two local servers":  {models: map[string][]string{ollama: {"llama3"}, vllm: {"qwen"}}, says: []string{"Ollama on 127.0.0.1:11434 with llama3", "vLLM on 127.0.0.1:8000 with qwen", "FORGE_MODEL=llama3"}},
		"two models":         {models: map[string][]string{ollama: {"llama3", "phi"}}, says: []string{"with llama3, phi", "FORGE_MODEL=llama3"}},
		"a server with none": {models: map[string][]string{ollama: nil}, says: []string{"Ollama on 127.0.0.1:11434 with no model"}},
		"none that answers":  {vars: map[string]string{"FORGE_MODEL": "qwen"}, models: map[string][]string{ollama: {"nomic-embed-text"}}, says: []string{`"qwen"`, "could replace it", "nomic-embed-text"}},
		"very many": {
			models: map[string][]string{ollama: {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}}, says: []string{"1, 2, 3, 4, 5, 6, 7, 8 and 2 more"},
		},
		"a base URL with several":            {vars: map[string]string{"FORGE_BASE_URL": other}, models: map[string][]string{other: {"a", "b"}}, says: []string{"FORGE_MODEL", "10.0.0.7:9000 with a, b"}},
		"a base URL where nothing answers":   {vars: map[string]string{"FORGE_BASE_URL": other}, says: []string{"set it to the model"}},
		"a password in the URL":              {vars: map[string]string{"FORGE_BASE_URL": "http://me:" + secret + "@h/v1"}, models: map[string][]string{"http://me:" + secret + "@h/v1": {"a", "b"}}, says: []string{"on h with a, b"}},
		"a base URL that is none":            {vars: map[string]string{"FORGE_BASE_URL": "localhost:11434", "FORGE_MODEL": "m"}, says: []string{"FORGE_BASE_URL is not a URL"}},
		"a key with no server":               {vars: map[string]string{"FORGE_API_KEY": secret, "OPENAI_API_KEY": "sk-other"}, says: []string{"FORGE_BASE_URL"}},
		"a service without a key":            {vars: map[string]string{"FORGE_MODEL": "anthropic/claude-sonnet-4-5", "OPENAI_API_KEY": secret}, says: []string{"no key for Anthropic", "forge setup anthropic", "ANTHROPIC_API_KEY"}},
		"a local server that is not running": {vars: map[string]string{"FORGE_MODEL": "ollama/phi3"}, says: []string{"Ollama", "nothing listens there"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := harness{vars: test.vars, change: test.change, servers: serving(test.models)}
			choice, err := d.router(t).Choose(t.Context(), llm.Need{})
			for _, part := range test.says {
				require.ErrorContains(t, err, part)
			}
			require.NotContains(t, err.Error(), secret)
			require.Nil(t, choice.Primary.Model)
		})
	}
}

func TestChoose_RolesTiersAndOverrides(t *testing.T) {
	t.Parallel()
	r := harness{vars: map[string]string{"OPENAI_API_KEY": secret}, change: func(s *config.Settings) {
		s.Default = ref("openai", "default")
		s.Tiers = map[llm.Tier]config.Ref{llm.Reasoning: ref("openai", "thinker"), llm.Classification: ref("openai", "quick")}
		s.Roles["narrator"] = llm.Reasoning
		s.Delivery = map[llm.Tier]config.Delivery{llm.Classification: config.Batch, llm.Reasoning: config.Sync}
	}}.router(t)
	for name, c := range map[string]struct {
		need         llm.Need
		want         string
		batch, whole bool
	}{
		"a planner reasons":             {llm.Need{Node: "planner"}, "thinker", false, true},
		"an executor generates":         {llm.Need{Node: "executor"}, "default", false, false},
		"an overseer classifies":        {llm.Need{Node: "overseer"}, "quick", true, false},
		"a role that somebody changed":  {llm.Need{Node: "narrator"}, "thinker", false, true},
		"an unknown node":               {llm.Need{Node: "new"}, "default", false, false},
		"a step with a tier of its own": {llm.Need{Node: "executor", Tier: llm.Reasoning}, "thinker", false, true},
		"nothing":                       {llm.Need{}, "default", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			choice, err := r.Choose(t.Context(), c.need)
			require.NoError(t, err)
			require.Equal(t, c.want, choice.Primary.ID)
			require.Equal(t, "openai", choice.Primary.Provider)
			require.Equal(t, c.batch, choice.Primary.Batch != nil)
			require.Equal(t, c.whole, choice.Primary.Whole)
			require.False(t, choice.Primary.Local)
		})
	}
}

// The planner thinks, and no other node unless the user's settings say so.
func TestChoose_SetsThinkingOfNode(t *testing.T) {
	t.Parallel()
	r := harness{vars: map[string]string{"OPENAI_API_KEY": secret}, change: func(s *config.Settings) { s.Thinking["review"] = 2000 }}.router(t)
	for node, want := range map[string]int{"planner": 10_000, "review": 2000, "executor": 0, "orchestrator": 0, "new": 0, "": 0} {
		choice, err := r.Choose(t.Context(), llm.Need{Node: node})
		require.NoError(t, err)
		require.Equal(t, want, choice.Thinking, node)
	}
}

func TestChoose_ReportsTheChoice(t *testing.T) {
	t.Parallel()
	d := harness{vars: map[string]string{"OPENAI_API_KEY": secret}, servers: serving(nil), change: func(s *config.Settings) {
		s.Default, s.Fallback = ref("openai", "gpt-4o-mini"), ref("ollama", "qwen2.5-coder:7b")
		for i := range s.Providers {
			if s.Providers[i].Name == "openai" {
				s.Providers[i].Rate = llm.Rate{PerMinute: 60, Burst: 4}
			}
		}
		s.Delivery = map[llm.Tier]config.Delivery{llm.Generation: config.Batch}
	}}
	d.servers.offers[ollama] = []route.Offer{{ID: "qwen2.5-coder:7b", Window: 40_000}}
	choice, err := d.router(t).Choose(t.Context(), llm.Need{})
	require.NoError(t, err)
	require.Equal(t, 128_000, choice.Primary.Window)
	require.Equal(t, llm.Rate{PerMinute: 60, Burst: 4}, choice.Primary.Rate)
	require.NotNil(t, choice.Primary.Batch)
	require.True(t, choice.Fallback.Local)
	require.Equal(t, 40_000, choice.Fallback.Window, "what the server says counts before the catalogue")
	require.Nil(t, choice.Fallback.Batch, "its adapter takes none")

	d.servers.offers = nil
	choice, err = d.router(t).Choose(t.Context(), llm.Need{})
	require.NoError(t, err, "a run goes on without a fallback")
	require.Nil(t, choice.Fallback)
	require.Len(t, choice.Notices, 1)
	require.Contains(t, choice.Notices[0], "there is no fallback")
}

func TestChoose_ReplacesAMissingModelWithOneNotice(t *testing.T) {
	t.Parallel()
	d := harness{vars: map[string]string{"FORGE_MODEL": "qwen2.5-coder:32b"}, servers: serving(map[string][]string{
		ollama: {"nomic-embed-text", "llama3.1:70b", "qwen2.5-coder:7b", "qwen2.5-coder:14b", "phi3"}, lmstudio: {"codellama-34b"},
	})}
	r := d.router(t)
	choice, err := r.Choose(t.Context(), llm.Need{Node: "executor"})
	require.NoError(t, err)
	require.Equal(t, "qwen2.5-coder:14b", choice.Primary.ID)
	require.Len(t, choice.Notices, 1)
	require.Contains(t, choice.Notices[0], "qwen2.5-coder:32b is not installed on Ollama or LM Studio: qwen2.5-coder:14b on Ollama replaces it")
	for range 3 {
		again, err := r.Choose(t.Context(), llm.Need{Node: "executor"})
		require.NoError(t, err)
		require.Equal(t, choice.Primary, again.Primary, "the same adapter too")
		require.Empty(t, again.Notices)
	}
	require.Len(t, d.servers.connected, 1)
	require.Len(t, d.servers.asked(), 4, "each server once")
}

func TestChoose_AnInstalledModelIsNotReplaced(t *testing.T) {
	t.Parallel()
	for wanted, want := range map[string]string{"llama3": "llama3:latest", "llama3:latest": "llama3:latest", "Phi3": "phi3"} {
		d := harness{vars: map[string]string{"FORGE_MODEL": "ollama/" + wanted}, servers: serving(map[string][]string{ollama: {"llama3:8b", "llama3:latest", "phi3"}})}
		choice, err := d.router(t).Choose(t.Context(), llm.Need{})
		require.NoError(t, err)
		require.Equal(t, want, choice.Primary.ID)
		require.Empty(t, choice.Notices)
	}
}

func TestChoose_ReportsNoticesOnce(t *testing.T) {
	t.Parallel()
	r := harness{vars: map[string]string{"OPENAI_API_KEY": secret}, change: func(s *config.Settings) {
		s.Notices = []config.Notice{{File: "config.yaml", Line: 3, Text: "there is no such setting"}}
	}}.router(t)
	first, err := r.Choose(t.Context(), llm.Need{})
	require.NoError(t, err)
	require.Equal(t, []string{"config.yaml:3: there is no such setting"}, first.Notices)
	second, err := r.Choose(t.Context(), llm.Need{})
	require.NoError(t, err)
	require.Empty(t, second.Notices)
}

func TestChoose_ListsExpireAndServersAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := harness{servers: serving(map[string][]string{ollama: {"llama3"}})}
		r := d.router(t)
		choose := func() string {
			choice, err := r.Choose(t.Context(), llm.Need{})
			require.NoError(t, err)
			return choice.Primary.ID
		}
		require.Equal(t, "llama3", choose())
		d.servers.mu.Lock()
		d.servers.offers[ollama] = []route.Offer{{ID: "qwen"}}
		d.servers.mu.Unlock()
		require.Equal(t, "llama3", choose(), "it is remembered for a while")
		time.Sleep(time.Minute) //nolint:forbidigo // of the bubble's clock
		require.Equal(t, "qwen", choose())
	})
	synctest.Test(t, func(t *testing.T) {
		d := harness{servers: &servers{silent: true}}
		began := time.Now()
		_, err := d.router(t).Choose(t.Context(), llm.Need{})
		require.ErrorIs(t, err, route.ErrNoModel)
		require.Equal(t, route.ProbeTimeout, time.Since(began), "all at once")
	})
}

func TestChoose_ChoosingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, vars := range []map[string]string{{}, {"FORGE_BASE_URL": other}, {"FORGE_MODEL": "ollama/x"}} {
		d := harness{vars: vars, servers: &servers{silent: true}}
		r := d.router(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := r.Choose(ctx, llm.Need{})
		require.ErrorIs(t, err, context.Canceled)
		d.servers.silent = false
		d.servers.offers = map[string][]route.Offer{ollama: {{ID: "x"}}, other: {{ID: "x"}}}
		_, err = r.Choose(t.Context(), llm.Need{})
		require.NoError(t, err, "what was given up is not remembered")
	}
}

func TestChoose_CloseLetsGoOfConnections(t *testing.T) {
	t.Parallel()
	d := harness{vars: map[string]string{"FORGE_MODEL": "ollama/x"}, servers: serving(map[string][]string{ollama: {"x"}})}
	r := d.router(t)
	_, err := r.Choose(t.Context(), llm.Need{})
	require.NoError(t, err)
	require.False(t, d.servers.connected[0].closed)
	r.Close()
	require.True(t, d.servers.connected[0].closed)
}

// A run that must stay on this machine does, whatever the settings would ask.
func TestChoose_ANeedCanBeOffline(t *testing.T) {
	t.Parallel()
	d := harness{vars: map[string]string{"OPENAI_API_KEY": secret}, servers: serving(map[string][]string{ollama: {"qwen"}})}
	choice, err := d.router(t).Choose(t.Context(), llm.Need{Offline: true})
	require.NoError(t, err)
	require.True(t, choice.Primary.Local)
	choice, err = d.router(t).Choose(t.Context(), llm.Need{})
	require.NoError(t, err)
	require.False(t, choice.Primary.Local, "the twin")

	d.servers = nil
	_, err = d.router(t).Choose(t.Context(), llm.Need{Offline: true})
	require.ErrorContains(t, err, "start the task again without --offline")
}

package route_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/route"
)

func TestOffline_NothingElsewhereIsAskedOrBuilt(t *testing.T) {
	t.Parallel()
	everything := map[string]string{
		"OPENAI_API_KEY": secret, "ANTHROPIC_API_KEY": secret, "MINIMAX_API_KEY": secret, "OLLAMA_HOST": "gpu.example",
	}
	with := func(more ...string) map[string]string {
		vars := map[string]string{}
		maps.Copy(vars, everything)
		for i := 0; i < len(more); i += 2 {
			vars[more[i]] = more[i+1]
		}
		return vars
	}
	tests := map[string]struct {
		vars   map[string]string
		models map[string][]string
		want   string // empty is an error
		says   string
	}{
		"the model of this machine":   {vars: with(), models: map[string][]string{lmstudio: {"qwen2.5-coder-7b"}}, want: "qwen2.5-coder-7b at 127.0.0.1:1234"},
		"instead of a hosted one":     {vars: with("FORGE_MODEL", "openai/gpt-4o"), models: map[string][]string{lmstudio: {"llama3", "qwen2.5-coder-7b"}}, want: "qwen2.5-coder-7b at 127.0.0.1:1234", says: "gpt-4o of OpenAI is not on this machine"},
		"no local server":             {vars: with(), says: "or turn models.offline and FORGE_OFFLINE off"},
		"a hosted one, no local":      {vars: with("FORGE_MODEL", "openai/gpt-4o"), says: "OpenAI (api.openai.com) is not on this machine"},
		"FORGE_BASE_URL elsewhere":    {vars: with("FORGE_BASE_URL", other, "FORGE_MODEL", "m"), says: "10.0.0.7:9000"},
		"FORGE_BASE_URL, no model":    {vars: with("FORGE_BASE_URL", other), says: "10.0.0.7:9000"},
		"FORGE_BASE_URL here":         {vars: with("FORGE_BASE_URL", "http://127.0.0.1:5555/v1", "FORGE_MODEL", "m"), want: "m at 127.0.0.1:5555"},
		"a model that is passed on":   {vars: with("FORGE_MODEL", "lmstudio/gpt-oss:120b-cloud"), models: map[string][]string{lmstudio: {"gpt-oss:120b-cloud"}}, says: "passes gpt-oss:120b-cloud on to another machine"},
		"passed on, and the only one": {vars: with(), models: map[string][]string{lmstudio: {"gpt-oss:120b-cloud"}}, says: "no model: load one there"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fallback := range []config.Ref{{}, ref("openai", "gpt-4o")} {
				d := harness{vars: test.vars, servers: serving(test.models), change: func(s *config.Settings) { s.Offline, s.Fallback = true, fallback }}
				r := d.router(t)
				choice, err := r.Choose(t.Context(), llm.Need{Node: "executor"})
				said := ""
				if test.want == "" {
					require.Error(t, err)
					said = err.Error()
				} else {
					require.NoError(t, err)
					require.Equal(t, test.want, choice.Primary.Model.Name())
					require.True(t, choice.Primary.Local)
					for _, notice := range choice.Notices {
						said += notice
					}
				}
				require.Contains(t, said, test.says)
				r.Survey(t.Context(), route.SurveyOptions{})
				for _, base := range d.servers.asked() {
					require.True(t, config.OnThisMachine(base), base)
				}
				for _, m := range d.servers.connected {
					require.Contains(t, m.name, " at 127.0.0.1:")
				}
			}
		})
	}
}

// The twin of the test above: it would see what is asked elsewhere.
func TestOffline_OnlineTheSameProvidersAreAsked(t *testing.T) {
	t.Parallel()
	d := harness{vars: map[string]string{"OPENAI_API_KEY": secret}, servers: serving(nil)}
	d.router(t).Survey(t.Context(), route.SurveyOptions{})
	require.Contains(t, d.servers.asked(), openai)
}

// A server of this machine that passes a model on is not this machine.
func TestOffline_ARemoteModelIsNotLocal(t *testing.T) {
	t.Parallel()
	d := harness{vars: map[string]string{"FORGE_MODEL": "ollama/big"}, servers: serving(nil)}
	d.servers.offers[ollama] = []route.Offer{{ID: "big", Remote: true}}
	choice, err := d.router(t).Choose(t.Context(), llm.Need{})
	require.NoError(t, err)
	require.False(t, choice.Primary.Local)
}

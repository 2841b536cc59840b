package gateways

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// gatewayModels are our adapters at the routes of LiteLLM that speak their API.
func gatewayModels(t *testing.T, url, key, model string) map[string]llm.Model {
	t.Helper()
	o := openai.New(wire.Options{BaseURL: url + "/v1", Key: key, Model: model})
	a := anthropic.New(wire.Options{BaseURL: url, Key: key, Model: model})
	t.Cleanup(func() { o.Close(); a.Close() })
	return map[string]llm.Model{"openai": o, "anthropic": a}
}

func TestLiteLLM_AnswersEveryProtocol(t *testing.T) {
	t.Parallel()
	url := litellm(t)
	t.Run("answers", func(t *testing.T) {
		for _, model := range []string{"plain", "claude"} {
			for name, m := range gatewayModels(t, url, gatewayKey, model) {
				for _, whole := range []bool{false, true} {
					r := ask("Hello?")
					r.Whole = whole
					response, _ := told(t.Context(), t, m, r)
					require.Equal(t, gatewayText, response.Text, "%s, %s, whole %t", name, model, whole)
					require.Equal(t, llm.FinishStop, response.Finish)
				}
			}
		}
	})
	t.Run("failures", func(t *testing.T) {
		for model, kind := range map[string]llm.Kind{
			"limited": llm.KindRateLimited, "broken": llm.KindTransient, "small": llm.KindOverflow, "no such model": llm.KindInvalid,
		} {
			for name, m := range gatewayModels(t, url, gatewayKey, model) {
				for _, whole := range []bool{false, true} {
					r := ask("Hello?")
					r.Whole = whole
					failure := failed(t, m, r)
					require.Equal(t, kind, failure.Kind, "%s, %s, whole %t: %v", name, model, whole, failure)
				}
			}
		}
	})
	t.Run("a wrong key", func(t *testing.T) {
		for name, m := range gatewayModels(t, url, "sk-wrong-"+gatewayKey, "plain") {
			require.Contains(t, []llm.Kind{llm.KindAuth, llm.KindInvalid}, failed(t, m, ask("Hello?")).Kind, name)
		}
	})
	t.Run("its models", func(t *testing.T) {
		o := openai.New(wire.Options{BaseURL: url + "/v1", Key: gatewayKey, Model: "plain"})
		t.Cleanup(o.Close)
		names, err := o.Models(t.Context())
		require.NoError(t, err)
		require.Subset(t, names, []string{"plain", "claude", "limited", "broken"})
	})
}

package route_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

// A batch is polled at the model that received it, whatever the tiers choose now.
func TestBatcher_PollsTheOriginalModel(t *testing.T) {
	t.Parallel()
	key := map[string]string{"OPENAI_API_KEY": secret, "ANTHROPIC_API_KEY": secret}
	tests := map[string]struct {
		vars            map[string]string
		change          func(*config.Settings)
		provider, model string
		says            string
	}{
		"the provider":            {vars: key, provider: "openai", model: "gpt-4o"},
		"another is the default":  {vars: key, change: func(s *config.Settings) { s.Default = ref("anthropic", "x") }, provider: "openai", model: "gpt-4o"},
		"a provider that is gone": {vars: key, provider: "work", model: "big", says: "no longer have the provider work"},
		"offline":                 {vars: key, change: func(s *config.Settings) { s.Offline = true }, provider: "openai", model: "gpt-4o", says: "not on this machine"},
		"a key that is gone":      {vars: map[string]string{}, provider: "openai", model: "gpt-4o", says: "OPENAI_API_KEY"},
		"one without batches":     {vars: key, provider: "anthropic", model: "x", says: "anthropic has no batches"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := harness{vars: test.vars, change: test.change, servers: serving(nil)}
			b, err := d.router(t).Batcher(t.Context(), test.provider, test.model)
			if test.says != "" {
				require.ErrorContains(t, err, test.says)
				return
			}
			require.NoError(t, err)
			require.NotNil(t, b)
			require.Equal(t, "gpt-4o at api.openai.com", d.servers.connected[0].name)
		})
	}
}

package spend_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/spend"
)

func prices(t *testing.T, own string) spend.Prices {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prices.yaml")
	if own != "" {
		require.NoError(t, os.WriteFile(file, []byte(own), 0o600))
	}
	p, err := spend.LoadPrices(file)
	require.NoError(t, err)
	return p
}

func TestPrice_ComputesTheCostOfACall(t *testing.T) {
	t.Parallel()
	million := llm.Usage{Input: 1_000_000, Output: 1_000_000, CacheRead: 1_000_000, CacheWrite: 1_000_000}
	for name, c := range map[string]struct {
		candidate llm.Candidate
		own       string
		batch     bool
		usage     llm.Usage
		want      string
	}{
		"as it is known":        {llm.Candidate{Provider: "openai", ID: "gpt-4o"}, "", false, llm.Usage{Input: 1000, Output: 1000}, "$0.02"},
		"caches":                {llm.Candidate{Provider: "anthropic", ID: "claude-sonnet-4-5-20250929"}, "", false, million, "$22.05"},
		"a batch":               {llm.Candidate{Provider: "anthropic", ID: "claude-sonnet-4-5"}, "", true, million, "$11.03"},
		"without batches":       {llm.Candidate{Provider: "minimax", ID: "MiniMax-M2"}, "", true, llm.Usage{Input: 1_000_000}, "$0.30"},
		"local":                 {llm.Candidate{Provider: "ollama", ID: "gpt-4o", Local: true}, "", false, million, "$0.00"},
		"unknown":               {llm.Candidate{Provider: "openai", ID: "gpt-99"}, "", false, million, "unknown price"},
		"another provider":      {llm.Candidate{Provider: "mine", ID: "gpt-4o"}, "", false, million, "unknown price"},
		"a variant is another":  {llm.Candidate{Provider: "openai", ID: "o1-pro"}, "", false, million, "unknown price"},
		"the user knows better": {llm.Candidate{Provider: "openai", ID: "gpt-4o"}, "- {provider: openai, models: [gpt-4o], input: 1, output: 2}", false, million, "$5.00"},
		"of everything":         {llm.Candidate{Provider: "x", ID: "org/any"}, "- {provider: '*', models: ['*'], input: 0.5, output: 0}", false, llm.Usage{Input: 1_000_000}, "$0.50"},
		"less than a cent":      {llm.Candidate{Provider: "openai", ID: "gpt-4o-mini"}, "", false, llm.Usage{Input: 1}, "$0.0001"},
		"nothing":               {llm.Candidate{Provider: "openai", ID: "gpt-4o-mini"}, "", false, llm.Usage{}, "$0.00"},
		"impossible numbers":    {llm.Candidate{Provider: "openai", ID: "gpt-4o"}, "", false, llm.Usage{Input: -5, Output: 1 << 62}, "$10737.42"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, prices(t, c.own).Of(c.candidate).Cost(c.usage, c.batch).String())
		})
	}
}

// Forge's default models have a price, or a limit in dollars would count them as the dearest there is.
func TestPrice_DefaultModelsHaveAPrice(t *testing.T) {
	t.Parallel()
	hosted := 0
	for _, known := range config.KnownProviders() {
		hosted++
		model := config.Provider{Name: known.Name}.Preferred()
		require.True(t, prices(t, "").Of(llm.Candidate{Provider: known.Name, ID: model}).Known, "%s/%s", known.Name, model)
	}
	require.NotZero(t, hosted)
}

func TestPrice_AnEmptyFileOfPricesChangesNothing(t *testing.T) {
	t.Parallel()
	require.True(t, prices(t, "# none yet\n").Of(llm.Candidate{Provider: "openai", ID: "gpt-4o"}).Known)
}

func TestPrice_RejectsInvalidPrices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"no list":          {"input: 3", "not a list of prices"},
		"a field too many": {"- {provider: a, models: [b], input: 1, output: 1, discount: 3}", "discount"},
		"no models":        {"- {provider: a, input: 1, output: 1}", "entry 1: name a provider and its models"},
		"no output":        {"- {provider: a, models: [b], input: 1}", "give input and output"},
		"negative":         {"- {provider: a, models: [b], input: -1, output: 1}", "input is -1"},
		"not a number":     {"- {provider: a, models: [b], input: .nan, output: 1}", "input is NaN"},
		"endless":          {"- {provider: a, models: [b], input: 1, output: .inf}", "output is +Inf"},
		"more in a batch":  {"- {provider: a, models: [b], input: 1, output: 1, batch: 2}", "batch is 2"},
		"no pattern":       {"- {provider: a, models: ['[b'], input: 1, output: 1}", `"[b" is not a pattern`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "prices.yaml")
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
			_, err := spend.LoadPrices(file)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, file)
		})
	}
}

// A cost is never less than what is due, and by less than a millionth of a dollar more; what is reserved is never less than
// what can be billed.
func TestPrice_CostsAreRoundedUp(t *testing.T) {
	t.Parallel()
	known := prices(t, "")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2_000_000)
		u := llm.Usage{Input: n.Draw(t, "in"), Output: n.Draw(t, "out"), CacheRead: n.Draw(t, "read"), CacheWrite: n.Draw(t, "write")}
		tariff := known.Of(llm.Candidate{Provider: "anthropic", ID: "claude-sonnet-4-5"})
		due := 3*float64(u.Input) + 15*float64(u.Output) + 0.3*float64(u.CacheRead) + 3.75*float64(u.CacheWrite)
		cost := float64(tariff.Cost(u, false).MicroUSD)
		require.GreaterOrEqual(t, cost, due-1e-6)
		require.Less(t, cost, due+1+1e-6)
	})
}

func FuzzPrice_Prices(f *testing.F) {
	f.Add([]byte("- {provider: a, models: [b], input: 1, output: 1}"))
	f.Add([]byte("- {provider: '*', models: ['[a-'], input: 1e300, output: 1}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "prices.yaml")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		p, err := spend.LoadPrices(file)
		if err != nil {
			return
		}
		cost := p.Of(llm.Candidate{Provider: "a", ID: "b"}).Cost(llm.Usage{Input: 7, Output: 1 << 40}, true)
		require.GreaterOrEqual(t, cost.MicroUSD, int64(0))
	})
}

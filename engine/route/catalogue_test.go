package route_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/route"
)

func TestCatalogue_Classify(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		family string
		class  route.Class
		window int
		size   float64
		silent bool
	}{
		"llama3.1:8b":                          {"llama", route.General, 131072, 8, false},
		"llama3:70b-instruct-q4_1":             {"llama", route.General, 8192, 70, false},
		"llama2:13b":                           {"llama", route.General, 4096, 13, false},
		"meta-llama/Llama-3.2-3B-Instruct":     {"llama", route.General, 131072, 3, false},
		"Meta-Llama-3-8B-Instruct.Q4_K_M.gguf": {"llama", route.General, 8192, 8, false},
		"codellama:34b-code":                   {"codellama", route.Code, 16384, 34, false},
		"qwen2.5-coder:1.5b":                   {"qwen-coder", route.Code, 32768, 1.5, false},
		"Qwen/Qwen3-Coder-30B-A3B-Instruct":    {"qwen-coder", route.Code, 262144, 30, false},
		"qwen2.5:72b":                          {"qwen", route.General, 32768, 72, false},
		"qwq:32b":                              {"qwq", route.Reasoner, 32768, 32, false},
		"deepseek-r1:14b":                      {"deepseek-r1", route.Reasoner, 131072, 14, false},
		"DeepSeek-R1-Distill-Qwen-7B":          {"deepseek-r1", route.Reasoner, 131072, 7, false},
		"deepseek-coder-v2:16b":                {"deepseek-coder", route.Code, 131072, 16, false},
		"deepseek-v3":                          {"deepseek", route.General, 131072, 0, false},
		"gemma2:27b":                           {"gemma", route.General, 8192, 27, false},
		"gemma3:270m":                          {"gemma", route.General, 131072, 0.27, false},
		"codegemma:7b":                         {"codegemma", route.Code, 8192, 7, false},
		"phi3:mini":                            {"phi", route.Small, 131072, 0, false},
		"phi-3-mini-4k-instruct":               {"phi", route.Small, 4096, 0, false},
		"phi-3-medium-128k-instruct":           {"phi", route.Small, 131072, 0, false},
		"dolphin-phi:2.7b":                     {"dolphin", route.General, 8192, 2.7, false},
		"mistral-nemo:12b":                     {"mistral", route.General, 131072, 12, false},
		"mixtral:8x7b":                         {"mixtral", route.General, 32768, 56, false},
		"codestral:22b":                        {"codestral", route.Code, 32768, 22, false},
		"starcoder2:15b":                       {"starcoder", route.Code, 16384, 15, false},
		"granite-code:8b":                      {"granite-code", route.Code, 8192, 8, false},
		"granite3.3:8b":                        {"granite", route.General, 131072, 8, false},
		"yi-coder:9b":                          {"yi-coder", route.Code, 131072, 9, false},
		"yi:34b":                               {"yi", route.General, 4096, 34, false},
		"solar:10.7b":                          {"solar", route.General, 4096, 10.7, false},
		"command-r-plus:104b":                  {"command-r", route.General, 131072, 104, false},
		"aya:8b":                               {"aya", route.Multilingual, 8192, 8, false},
		"openai/gpt-oss-20b":                   {"gpt-oss", route.Reasoner, 131072, 20, false},
		"nous-hermes2:10.7b":                   {"hermes", route.General, 8192, 10.7, false},
		"nomic-embed-text":                     {"", "", 0, 0, true},
		"qwen3-embedding:0.6b":                 {"qwen", route.General, 32768, 0.6, true},
		`C:\models\stable-code-3b.Q5.gguf`:     {"stable-code", route.Code, 16384, 3, false},
		"somebody-s-model":                     {"", "", 0, 0, false},
		"":                                     {"", "", 0, 0, false},
		"playing-yifan":                        {"", "", 0, 0, false},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kin := route.Classify(name)
			require.Equal(t, want.family, kin.Family)
			require.Equal(t, want.class, kin.Class)
			require.Equal(t, want.window, kin.Window)
			require.InDelta(t, want.size, kin.Size, 1e-9)
			require.Equal(t, want.silent, !kin.Chat)
		})
	}
}

func TestCatalogue_ChoosesTheBestFit(t *testing.T) {
	t.Parallel()
	there := []string{
		"nomic-embed-text", "llama3.1:8b", "llama3.1:70b", "qwen2.5-coder:7b", "qwen2.5:14b", "deepseek-r1:14b", "phi3:mini", "tinyllama", "my-own",
	}
	tests := map[string]struct {
		wanted string
		tier   llm.Tier
		want   string
	}{
		"its own family, the same release": {"llama3.1:405b", llm.Generation, "llama3.1:70b"},
		"its own family, another release":  {"qwen3-coder:30b", llm.Generation, "qwen2.5-coder:7b"},
		"another that codes":               {"codestral:22b", llm.Generation, "qwen2.5-coder:7b"},
		"another that reasons":             {"qwq:32b", llm.Reasoning, "deepseek-r1:14b"},
		"an unknown name, to generate":     {"house-model", llm.Generation, "qwen2.5-coder:7b"},
		"an unknown name, to reason":       {"house-model", llm.Reasoning, "deepseek-r1:14b"},
		"an unknown name, to classify":     {"house-model", llm.Classification, "phi3:mini"},
		"a hosted one":                     {"gpt-4o", llm.Generation, "qwen2.5-coder:7b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, order := range [][]string{there, reversed(there)} {
				r := harness{servers: serving(map[string][]string{ollama: order}), change: func(s *config.Settings) { s.Default = ref("ollama", test.wanted) }}.router(t)
				choice, err := r.Choose(t.Context(), llm.Need{Tier: test.tier})
				require.NoError(t, err)
				require.Equal(t, test.want, choice.Primary.ID)
				require.Len(t, choice.Notices, 1)
			}
		})
	}
}

func reversed(names []string) []string {
	turned := slices.Clone(names)
	slices.Reverse(turned)
	return turned
}

func TestCatalogue_HostedWindows(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"gpt-4o-mini": 128_000, "gpt-4.1-nano": 1_047_576, "gpt-5-mini": 400_000, "gpt-4": 8_192, "o3-mini": 200_000, "a-new-one": 0,
	} {
		r := harness{vars: map[string]string{"OPENAI_API_KEY": secret, "FORGE_MODEL": "openai/" + model}}.router(t)
		choice, err := r.Choose(t.Context(), llm.Need{})
		require.NoError(t, err)
		require.Equal(t, want, choice.Primary.Window, model)
	}
}

func FuzzCatalogue_Classify(f *testing.F) {
	for _, seed := range []string{"qwen2.5-coder:7b", "meta-llama/Llama-3.1-8B", "8x7b", "///", "-", "\xff", "9999999999999999999999k", "1e9b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		kin := route.Classify(name)
		if kin.Window < 0 || kin.Size < 0 {
			t.Errorf("%q: %+v", name, kin)
		}
		if utf8.ValidString(name) && kin.Family != route.Classify(strings.ToUpper(name)).Family && isASCII(name) {
			t.Errorf("%q: another case is another family", name)
		}
	})
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
}

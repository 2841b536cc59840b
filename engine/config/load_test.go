package config_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/mode"
)

const secret = "sk-canary-51c0ffee"

// harness is the user's file, a project and an environment.
type harness struct {
	user    string
	project string
	env     map[string]string
	editor  config.Models
	flags   config.Models
	keys    config.Keys
}

func (d harness) load(t *testing.T) config.Settings {
	t.Helper()
	sources := config.Sources{
		Flags: d.flags, Editor: d.editor, Keys: d.keys, UserFile: filepath.Join(t.TempDir(), "config.yaml"),
		Environ: func(name string) string { return d.env[name] },
	}
	if d.user != "" {
		require.NoError(t, os.WriteFile(sources.UserFile, []byte(d.user), 0o600))
	}
	if d.project != "" {
		sources.Project = t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(sources.Project, ".forge"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(sources.Project, config.ProjectFile), []byte(d.project), 0o600))
	}
	return config.Load(sources)
}

// providers gives name -> base URL of those that somebody has chosen.
func providers(s config.Settings) map[string]string {
	chosen := map[string]string{}
	for _, p := range s.Providers {
		if !p.Usual {
			chosen[p.Name] = p.BaseURL
		}
	}
	return chosen
}

func said(s config.Settings) string {
	text := ""
	for _, n := range s.Notices {
		text += n.String() + "\n"
	}
	if s.Err != nil {
		text += s.Err.Error()
	}
	return text
}

const work = `
providers:
  - name: work        # the company's gateway
    kind: openai-compatible
    baseURL: https://models.example/v1
    key: ${WORK_KEY}
    models: [big, small]
    rate: {perMinute: 60, burst: 4}
  - name: ollama
models:
  default: work/big
  tiers: {classification: ollama/phi3}
`

func TestLoad_ProvidersOfTheEnvironment(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		env  map[string]string
		want map[string]string
	}{
		"nothing":         {nil, map[string]string{}},
		"Forge's own":     {map[string]string{"FORGE_BASE_URL": "http://10.0.0.7:9000/v1"}, map[string]string{"forge": "http://10.0.0.7:9000/v1"}},
		"OpenAI":          {map[string]string{"OPENAI_API_KEY": " " + secret + "\n"}, map[string]string{"openai": "https://api.openai.com/v1"}},
		"OpenAI, moved":   {map[string]string{"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": "https://o.example/v1"}, map[string]string{"openai": "https://o.example/v1"}},
		"Anthropic":       {map[string]string{"ANTHROPIC_API_KEY": secret}, map[string]string{"anthropic": "https://api.anthropic.com"}},
		"MiniMax":         {map[string]string{"MINIMAX_API_KEY": secret}, map[string]string{"minimax": "https://api.minimax.io/v1"}},
		"Ollama, a host":  {map[string]string{"OLLAMA_HOST": "gpu.example"}, map[string]string{"ollama": "http://gpu.example:11434"}},
		"Ollama, a port":  {map[string]string{"OLLAMA_HOST": ":4000"}, map[string]string{"ollama": "http://127.0.0.1:4000"}},
		"Ollama, its own": {map[string]string{"OLLAMA_HOST": "0.0.0.0:11434"}, map[string]string{"ollama": "http://127.0.0.1:11434"}},
		"Ollama, a URL":   {map[string]string{"OLLAMA_HOST": "https://gpu.example/v1/"}, map[string]string{"ollama": "https://gpu.example"}},
		"several": {
			map[string]string{"OPENAI_API_KEY": secret, "ANTHROPIC_API_KEY": "sk-other"},
			map[string]string{"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := harness{env: test.env}.load(t)
			require.Empty(t, said(s))
			require.Empty(t, cmp.Diff(test.want, providers(s)))
		})
	}
}

func TestLoad_AKeyGoesToItsOwnServerOnly(t *testing.T) {
	t.Parallel()
	s := harness{env: map[string]string{
		"FORGE_BASE_URL": "http://10.0.0.7:9000/v1", "OPENAI_API_KEY": secret, "ANTHROPIC_API_KEY": "sk-other", "WORK_KEY": "sk-work",
	}, user: work + "  # nothing more\n"}.load(t)
	keys := map[string]string{}
	for _, p := range s.Providers {
		if p.Key != "" {
			keys[p.Name] = string(p.Key) + " from " + p.KeySource
		}
	}
	require.Empty(t, cmp.Diff(map[string]string{
		"openai": secret + " from OPENAI_API_KEY", "anthropic": "sk-other from ANTHROPIC_API_KEY", "work": "sk-work from WORK_KEY",
	}, keys))

	moved := harness{env: map[string]string{"OPENAI_API_KEY": secret}, user: `
providers: [{name: openai, baseURL: "https://proxy.example/v1"}]`}.load(t)
	p, _ := moved.Provider("openai")
	require.Empty(t, string(p.Key), "OpenAI's key is for OpenAI's address")
}

func TestLoad_Layers(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	env := func(more map[string]string) map[string]string {
		vars := map[string]string{"WORK_KEY": "sk-work"}
		maps.Copy(vars, more)
		return vars
	}
	tests := map[string]struct {
		harness harness
		want    map[llm.Tier]string // with "" for the default
	}{
		"the user's file": {harness{user: work, env: env(nil)}, map[llm.Tier]string{"": "work/big", "classification": "ollama/phi3"}},
		"the project chooses among its providers": {
			harness{user: work, env: env(nil), project: "models: {tiers: {reasoning: work/small}}"},
			map[llm.Tier]string{"": "work/big", "reasoning": "work/small", "classification": "ollama/phi3"},
		},
		"the editor before the project": {
			harness{user: work, env: env(nil), project: "models: {tiers: {reasoning: work/small}}", editor: config.Models{Tiers: map[string]string{"reasoning": "work/big"}}},
			map[llm.Tier]string{"": "work/big", "reasoning": "work/big", "classification": "ollama/phi3"},
		},
		"the environment is for everything": {
			harness{user: work, env: env(map[string]string{"FORGE_MODEL": "ollama/llama3"}), project: "models: {tiers: {reasoning: work/small}}"},
			map[llm.Tier]string{"": "ollama/llama3"},
		},
		"flags before all": {
			harness{user: work, env: env(map[string]string{"FORGE_MODEL": "ollama/llama3"}), flags: config.Models{Default: "work/small"}},
			map[llm.Tier]string{"": "work/small"},
		},
		"a model with a slash": {
			harness{env: map[string]string{"FORGE_MODEL": "meta-llama/Llama-3.1-8B"}}, map[llm.Tier]string{"": "meta-llama/Llama-3.1-8B"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := test.harness.load(t)
			require.Empty(t, said(s))
			got := map[llm.Tier]string{"": s.Default.String()}
			for tier, ref := range s.Tiers {
				got[tier] = ref.String()
			}
			require.Empty(t, cmp.Diff(test.want, got))
		})
	}
	require.True(t, harness{user: "models: {offline: true}", project: "models: {offline: false}"}.load(t).Offline)
	require.True(t, harness{user: "models: {offline: false}", editor: config.Models{Offline: &yes}}.load(t).Offline)
	require.False(t, harness{user: "models: {offline: true}", flags: config.Models{Offline: &no}}.load(t).Offline)
	require.True(t, harness{env: map[string]string{"FORGE_OFFLINE": "1"}}.load(t).Offline)
	require.False(t, harness{user: "models: {offline: true}", env: map[string]string{"FORGE_OFFLINE": "0"}}.load(t).Offline)
}

func TestLoad_ReadsEverySetting(t *testing.T) {
	t.Parallel()
	s := harness{env: map[string]string{"WORK_KEY": "sk-work", "CA": "/etc/ca.pem", "NO_PROXY": ".example"}, user: work + `
  roles: {executor: reasoning, narrator: classification}
  thinking: {review: 2000}
  fallback: ollama/qwen2.5-coder
  delivery: {classification: batch, reasoning: sync}
  cache: false
budget: {tokens: 5000, usd: 2.5}
explore: {rounds: 3}
network:
  caFile: ${CA}
  proxy: http://proxy.example:3128
`}.load(t)
	require.Empty(t, said(s))
	require.Equal(t, llm.Reasoning, s.Roles["executor"])
	require.Equal(t, llm.Classification, s.Roles["narrator"])
	require.Equal(t, llm.Reasoning, s.Roles["planner"], "an unchanged role is as it was")
	require.Equal(t, map[string]int{"planner": 10_000, "review": 2000}, s.Thinking)
	require.Equal(t, "ollama/qwen2.5-coder", s.Fallback.String())
	require.Equal(t, map[llm.Tier]config.Delivery{llm.Classification: config.Batch, llm.Reasoning: config.Sync}, s.Delivery)
	require.False(t, s.Cache)
	require.Equal(t, config.Budget{Tokens: 5000, USD: 2.5}, s.Budget)
	require.Equal(t, mode.Bounds{Rounds: 3}, s.Bounds)
	require.Equal(t, config.Network{
		CAFiles: []string{"/etc/ca.pem"}, HTTPProxy: "http://proxy.example:3128", AnyProxy: "http://proxy.example:3128", NoProxy: ".example",
	}, s.Network)
	p, _ := s.Provider("work")
	require.Equal(t, llm.Rate{PerMinute: 60, Burst: 4}, p.Rate)
	require.Equal(t, "big", p.Preferred())
}

func TestLoad_NamesInvalidSettings(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		harness harness
		says    []string
	}{
		"an unknown key": {
			harness{user: "models:\n  tier: {}\n  default: ollama/phi3\n"},
			[]string{"config.yaml:2: ", `unknown setting "tier"`, "tiers"},
		},
		"an unknown part":        {harness{user: "modles: {}\n"}, []string{"config.yaml:1: ", `"modles"`, "models, network, permissions, plan, providers"}},
		"a word for a number":    {harness{user: "budget:\n  tokens: many\n"}, []string{"config.yaml:2: ", `"many"`, "a whole number"}},
		"no tokens":              {harness{user: "budget: {tokens: -1}\n"}, []string{"budget.tokens in ", "-1 is not a valid limit: use a number above 0"}},
		"no dollars":             {harness{user: "budget: {usd: 0}\n"}, []string{"budget.usd in ", "0 is not a valid limit"}},
		"no rate":                {harness{user: "providers: [{name: openai, rate: {perMinute: -5}}]\n"}, []string{"rate.perMinute of the provider openai in ", "-5 is not a valid limit"}},
		"a list for settings":    {harness{user: "models: [a]\n"}, []string{"config.yaml:1: ", "settings, one on each line"}},
		"a tier that is none":    {harness{user: "models: {tiers: {thinking: ollama/x}}"}, []string{`unknown tier "thinking"`, "reasoning, generation"}},
		"a role's tier":          {harness{user: "models: {roles: {executor: best}}"}, []string{"models.roles.executor", `"best"`}},
		"thoughts without end":   {harness{user: "models: {thinking: {planner: 9000000}}"}, []string{"models.thinking.planner", "9000000", "0 to 200000"}},
		"thoughts below nothing": {harness{user: "models: {thinking: {planner: -1}}"}, []string{"models.thinking.planner", "-1"}},
		"a delivery":             {harness{user: "models: {delivery: {reasoning: pigeon}}"}, []string{`"pigeon"`, "stream, sync or batch"}},
		"a provider of no kind":  {harness{user: "providers:\n  - name: x\n    kind: fax\n"}, []string{"config.yaml:2: ", "known kind", "openai-compatible"}},
		"a provider of no name":  {harness{user: "providers: [{kind: ollama}]"}, []string{"has no valid name"}},
		"a provider of no place": {harness{user: "providers: [{name: x, kind: openai-compatible}]"}, []string{"no baseURL"}},
		"a place that is none":   {harness{user: "providers: [{name: x, kind: openai-compatible, baseURL: nonsense}]"}, []string{"baseURL of the provider x", "not a URL"}},
		"a key in the file":      {harness{user: "providers: [{name: openai, key: " + secret + "}]"}, []string{"the file contains a key", "forge setup openai"}},
		"a variable that is not": {harness{user: "network:\n  proxy: ${NO_SUCH}\n"}, []string{"config.yaml:2: ", "NO_SUCH is not set"}},
		"twice the same":         {harness{user: "models: {}\nmodels: {}\n"}, []string{"already defined"}},
		"a base URL that is none": {
			harness{env: map[string]string{"FORGE_BASE_URL": "nonsense"}}, []string{"FORGE_BASE_URL is not a URL"},
		},
		"another one": {
			harness{env: map[string]string{"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": "file:///etc/passwd"}}, []string{"OPENAI_BASE_URL is not a URL"},
		},
		"a key with no server": {
			harness{env: map[string]string{"FORGE_API_KEY": secret}}, []string{"FORGE_API_KEY is set, but not FORGE_BASE_URL"},
		},
		"no YAML": {harness{user: "models: {"}, []string{"config.yaml cannot be read", "fix it"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := test.harness.load(t)
			for _, part := range test.says {
				require.Contains(t, said(s), part)
			}
			require.NotContains(t, said(s), secret)
			require.NotRegexp(t, `config\.[A-Z]|!!|\*int|forge/`, said(s))
		})
	}
}

func TestLoad_TheRestOfAFileKeepsWorking(t *testing.T) {
	t.Parallel()
	s := harness{user: "models:\n  tier: {}\n  default: ollama/phi3\nbudget: {tokens: many, usd: 1}\n"}.load(t)
	require.NoError(t, s.Err)
	require.Len(t, s.Notices, 2)
	require.Equal(t, "ollama/phi3", s.Default.String())
	require.Equal(t, config.Budget{USD: 1}, s.Budget)
}

// Offline stays offline, even if the setting is unreadable.
func TestLoad_OfflineFailsClosed(t *testing.T) {
	t.Parallel()
	require.True(t, harness{user: "models: {offline: yess}"}.load(t).Offline)
	require.True(t, harness{env: map[string]string{"FORGE_OFFLINE": "please"}}.load(t).Offline)
	require.Error(t, harness{user: "models: {offline: true"}.load(t).Err, "nothing may be asked")
	require.False(t, harness{user: "models: {cache: true}"}.load(t).Offline)
}

func TestLoad_NoFormatShowsTheKey(t *testing.T) {
	t.Parallel()
	s := harness{env: map[string]string{"OPENAI_API_KEY": secret, "FORGE_BASE_URL": "http://me:" + secret + "@h/v1"}}.load(t)
	encoded, err := json.Marshal(s.Providers[1])
	require.NoError(t, err)
	p, _ := s.Provider("openai")
	require.Equal(t, secret, string(p.Key))
	pinned, _ := s.Provider("forge")
	require.Equal(t, "h", pinned.Place())
	for _, text := range []string{fmt.Sprintf("%v %+v", p, p), fmt.Sprintf("%#v", p.Key), string(encoded)} {
		require.NotContains(t, text, secret)
	}
}

// The example in the documentation is read as it stands.
func TestLoad_TheDocumentedFileIsUnderstood(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/models.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(text), "```yaml\n")
	require.True(t, found)
	example, _, found = strings.Cut(example, "```")
	require.True(t, found)
	s := harness{user: example, env: map[string]string{"WORK_KEY": "sk-work"}, keys: config.Vault{Keychain: chain{"anthropic": secret}}}.load(t)
	require.Empty(t, said(s))
	for _, name := range []string{"work", "anthropic"} {
		p, _ := s.Provider(name)
		require.NotEmpty(t, string(p.Key), name)
		require.Empty(t, p.Missing)
	}
	for _, ref := range []config.Ref{s.Default, s.Tiers[llm.Reasoning], s.Tiers[llm.Classification], s.Fallback} {
		_, known := s.Provider(ref.Provider)
		require.True(t, known, ref)
	}
	require.Equal(t, llm.Generation, s.Roles["review"])
	require.Equal(t, config.Batch, s.Delivery[llm.Summarisation])
}

// Commands reach this machine without a proxy, as Forge does.
func TestNetwork_VariablesForCommands(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		env  map[string]string
		want []string
	}{
		"no proxy": {file: "network: {noProxy: .example}\n"},
		"the settings": {file: "network: {proxy: 'http://me:pw@proxy.example:3128'}\n", want: []string{
			"HTTPS_PROXY=http://me:pw@proxy.example:3128", "https_proxy=http://me:pw@proxy.example:3128", "HTTP_PROXY=http://me:pw@proxy.example:3128", "http_proxy=http://me:pw@proxy.example:3128",
			"NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1",
		}},
		"the environment": {env: map[string]string{"https_proxy": "proxy:1", "ALL_PROXY": "socks5://proxy:2", "NO_PROXY": ".example"}, want: []string{
			"HTTPS_PROXY=proxy:1", "https_proxy=proxy:1", "ALL_PROXY=socks5://proxy:2", "all_proxy=socks5://proxy:2", "NO_PROXY=.example,localhost,127.0.0.1,::1", "no_proxy=.example,localhost,127.0.0.1,::1",
		}},
		"nothing goes through it": {env: map[string]string{"HTTP_PROXY": "proxy:1", "NO_PROXY": "*"}, want: []string{"HTTP_PROXY=proxy:1", "http_proxy=proxy:1", "NO_PROXY=*", "no_proxy=*"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, harness{user: c.file, env: c.env}.load(t).Network.Variables())
		})
	}
}

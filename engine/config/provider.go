package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// PinnedName is the name of the provider that FORGE_BASE_URL creates.
const PinnedName = "forge"

// providers lists all providers: FORGE_BASE_URL's, the user's own in their order, those with a key in the
// environment, and those for which a key or a server may be found later.
func (m *merging) providers(entries []providerEntry) {
	if m.env(EnvBaseURL) != "" {
		m.add(m.env.pinned())
	} else if m.env(EnvKey) != "" {
		m.fail(fmt.Errorf("%s is set, but not %s, the server it is for", EnvKey, EnvBaseURL))
	}
	for i, entry := range entries {
		if p, ok := m.entry(i, entry); ok {
			m.add(p)
		}
	}
	for _, h := range hostedProviders() {
		if m.env(h.envKey) != "" {
			m.add(m.env.fromKey(h))
		}
	}
	for _, h := range hostedProviders() {
		m.add(Provider{
			Name: h.name, Title: h.title, Kind: h.kind, BaseURL: m.env.baseOf(h), Usual: true, Source: h.envKey,
			Missing: fmt.Sprintf("there is no key for %s: run forge setup %s, or set %s", h.title, h.name, h.envKey),
		})
	}
	for _, p := range usual() {
		if host := m.env(EnvOllamaHost); p.Kind == KindOllama && host != "" {
			p.BaseURL, p.Source, p.Usual = ollamaURL(host), EnvOllamaHost, false
		}
		m.add(p)
	}
}

// add appends a provider unless one has the same name.
func (m *merging) add(p Provider) {
	if _, there := m.settings.Provider(p.Name); there {
		return
	}
	if p.Kind != KindMMX && !isURL(p.BaseURL) {
		m.refuseURL(p)
		return
	}
	p.Title = cmp.Or(p.Title, p.Name)
	m.settings.Providers = append(m.settings.Providers, p)
}

// refuseURL reports an invalid base URL, without its value, which may contain a password. If a variable has the
// invalid URL, no prompt goes anywhere else.
func (m *merging) refuseURL(p Provider) {
	const advice = "is not a URL: use one like http://127.0.0.1:11434/v1"
	if p.Source == m.userFile {
		m.say("the baseURL of the provider %s in %s %s", p.Name, m.userFile, advice)
		return
	}
	variable := p.Source
	for _, h := range hostedProviders() {
		if h.envKey == p.Source {
			variable = h.envBase
		}
	}
	m.fail(fmt.Errorf("%s %s", variable, advice))
}

// fail keeps the first reason why no model may be called.
func (m *merging) fail(err error) {
	if m.settings.Err == nil {
		m.settings.Err = err
	}
}

func (env Environ) pinned() Provider {
	p := Provider{
		Name: PinnedName, Title: EnvBaseURL, Kind: KindCompatible, BaseURL: env(EnvBaseURL),
		Key: Key(env(EnvKey)), Source: EnvBaseURL, Pinned: true,
	}
	if p.Key != "" {
		p.KeySource = EnvKey
	}
	return p
}

func (env Environ) fromKey(h hosted) Provider {
	return Provider{
		Name: h.name, Title: h.title, Kind: h.kind, BaseURL: env.baseOf(h), Source: h.envKey,
		Key: Key(env(h.envKey)), KeySource: h.envKey,
	}
}

// baseOf returns the provider's address, or the one in its variable.
func (env Environ) baseOf(h hosted) string {
	if base := env(h.envBase); base != "" {
		return base
	}
	return h.baseURL
}

// ollamaURL parses the address formats of Ollama's own programs: a host, a port, or a URL.
func ollamaURL(host string) string {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	parsed, err := url.Parse(strings.TrimRight(host, "/"))
	if err != nil {
		return host
	}
	name := parsed.Hostname()
	if name == "" || name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1" // an address to listen on, not to call
	}
	port := parsed.Port()
	if port == "" && parsed.Scheme == "http" {
		port = "11434"
	}
	parsed.Host = name
	if port != "" {
		parsed.Host = net.JoinHostPort(name, port)
	}
	parsed.Path = strings.TrimSuffix(parsed.Path, "/v1")
	return parsed.String()
}

func isURL(value string) bool {
	parsed, err := url.Parse(value)
	return err == nil && parsed.Host != "" && slices.Contains([]string{"http", "https"}, parsed.Scheme)
}

// hosted is a well-known provider, with its variables.
type hosted struct {
	name, title       string
	kind              Kind
	baseURL           string
	envKey, envBase   string
	preferred, keysAt string // the default model; where keys are issued
}

// hostedProviders returns the providers that need only a key, in order of preference.
func hostedProviders() []hosted {
	return []hosted{
		{"openai", "OpenAI", KindOpenAI, "https://api.openai.com/v1", EnvOpenAIKey, EnvOpenAIBaseURL, "gpt-4o-mini", "https://platform.openai.com/api-keys"},
		{"anthropic", "Anthropic", KindAnthropic, "https://api.anthropic.com", EnvAnthropicKey, EnvAnthropicBaseURL, "claude-sonnet-4-5", "https://console.anthropic.com/settings/keys"},
		{"minimax", "MiniMax", KindCompatible, "https://api.minimax.io/v1", EnvMiniMaxKey, EnvMiniMaxBaseURL, "MiniMax-M2.7", "https://platform.minimax.io"},
	}
}

// preferred returns the default model of a provider.
func preferred(provider string) string {
	if provider == string(KindMMX) {
		provider = "minimax" // mmx is its command line
	}
	for _, h := range hostedProviders() {
		if h.name == provider {
			return h.preferred
		}
	}
	return ""
}

// Known is a provider that forge setup can ask a key for.
type Known struct {
	Name, Title, KeysAt string
}

// KnownProviders lists the providers that need only a key.
func KnownProviders() []Known {
	var known []Known
	for _, h := range hostedProviders() {
		known = append(known, Known{h.name, h.title, h.keysAt})
	}
	return known
}

// usual returns the addresses where servers of this machine usually listen, in order of preference.
func usual() []Provider {
	return []Provider{
		{Name: "ollama", Title: "Ollama", Kind: KindOllama, BaseURL: "http://127.0.0.1:11434", Usual: true},
		{Name: "lmstudio", Title: "LM Studio", Kind: KindCompatible, BaseURL: "http://127.0.0.1:1234/v1", Usual: true},
		{Name: "vllm", Title: "vLLM", Kind: KindCompatible, BaseURL: "http://127.0.0.1:8000/v1", Usual: true},
		{Name: "llamacpp", Title: "llama.cpp", Kind: KindCompatible, BaseURL: "http://127.0.0.1:8080/v1", Usual: true},
	}
}

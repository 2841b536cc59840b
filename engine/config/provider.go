package config

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"forge/engine/llm"
)

// hosted is a provider that everybody knows, with the variables that lead to it.
type hosted struct {
	name, title       string
	kind              Kind
	baseURL           string
	envKey, envBase   string
	preferred, keysAt string
}

// hostedProviders are those that a key alone makes usable, in order of preference.
func hostedProviders() []hosted {
	return []hosted{
		{"openai", "OpenAI", KindOpenAI, "https://api.openai.com/v1", EnvOpenAIKey, EnvOpenAIBaseURL, "gpt-4o-mini", "https://platform.openai.com/api-keys"},
		{"anthropic", "Anthropic", KindAnthropic, "https://api.anthropic.com", EnvAnthropicKey, EnvAnthropicBaseURL, "claude-sonnet-4-5", "https://console.anthropic.com/settings/keys"},
		{"minimax", "MiniMax", KindCompatible, "https://api.minimax.io/v1", EnvMiniMaxKey, EnvMiniMaxBaseURL, "MiniMax-M2", "https://platform.minimax.io"},
	}
}

// preferred are the models of providers whose models nobody chose.
var preferred = map[string]string{"openai": "gpt-4o-mini", "anthropic": "claude-sonnet-4-5", "minimax": "MiniMax-M2", "mmx": "MiniMax-M2"}

// Known is a provider that forge setup can ask a key for.
type Known struct {
	Name, Title, Variable, KeysAt string
}

// KnownProviders lists those that need nothing but a key.
func KnownProviders() []Known {
	var known []Known
	for _, h := range hostedProviders() {
		known = append(known, Known{h.name, h.title, h.envKey, h.keysAt})
	}
	return known
}

// PinnedName is the name of the provider that FORGE_BASE_URL makes.
const PinnedName = "forge"

// usual are the places where servers of this machine listen, in order of preference.
func usual() []Provider {
	return []Provider{
		{Name: "ollama", Title: "Ollama", Kind: KindOllama, BaseURL: "http://127.0.0.1:11434", Usual: true},
		{Name: "lmstudio", Title: "LM Studio", Kind: KindCompatible, BaseURL: "http://127.0.0.1:1234/v1", Usual: true},
		{Name: "vllm", Title: "vLLM", Kind: KindCompatible, BaseURL: "http://127.0.0.1:8000/v1", Usual: true},
		{Name: "llamacpp", Title: "llama.cpp", Kind: KindCompatible, BaseURL: "http://127.0.0.1:8080/v1", Usual: true},
	}
}

// providers lists all there are: FORGE_BASE_URL's, the person's own in their order, those that a key in the
// environment makes usable, and those of which a key or a server may turn up.
func (m *merging) providers(entries []providerEntry) {
	if m.env(EnvBaseURL) != "" {
		m.add(m.pinned())
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
			m.add(m.fromKey(h))
		}
	}
	for _, h := range hostedProviders() {
		m.add(Provider{
			Name: h.name, Title: h.title, Kind: h.kind, BaseURL: h.baseURL, Usual: true, Source: h.envKey,
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

// add appends a provider unless one of that name is there.
func (m *merging) add(p Provider) {
	if _, there := m.settings.Provider(p.Name); there {
		return
	}
	if p.Kind != KindMMX && !isURL(p.BaseURL) {
		m.refuseURL(p)
		return
	}
	if p.Title == "" {
		p.Title = p.Name
	}
	m.settings.Providers = append(m.settings.Providers, p)
}

// refuseURL says that a base URL is none. Its value is not shown: a password may stand in it. Where a variable says
// where prompts go, they go nowhere else instead.
func (m *merging) refuseURL(p Provider) {
	const advice = "is not a URL: give one like http://127.0.0.1:11434/v1"
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

// fail keeps the first reason why nothing may be asked.
func (m *merging) fail(err error) {
	if m.settings.Err == nil {
		m.settings.Err = err
	}
}

func (m *merging) pinned() Provider {
	p := Provider{
		Name: PinnedName, Title: EnvBaseURL, Kind: KindCompatible, BaseURL: m.env(EnvBaseURL),
		Key: Key(m.env(EnvKey)), Source: EnvBaseURL, Pinned: true,
	}
	if p.Key != "" {
		p.KeySource = EnvKey
	}
	return p
}

func (m *merging) fromKey(h hosted) Provider {
	p := Provider{Name: h.name, Title: h.title, Kind: h.kind, BaseURL: h.baseURL, Source: h.envKey}
	if base := m.env(h.envBase); base != "" {
		p.BaseURL = base
	}
	p.Key, p.KeySource = Key(m.env(h.envKey)), h.envKey
	return p
}

var nameOfProvider = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`)

// entry makes a provider of what stands in the person's file.
func (m *merging) entry(i int, e providerEntry) (Provider, bool) {
	at := Notice{File: m.userFile, Line: e.line}
	refuse := func(format string, args ...any) (Provider, bool) {
		at.Text = fmt.Sprintf(format, args...)
		m.settings.Notices = append(m.settings.Notices, at)
		return Provider{}, false
	}
	if !nameOfProvider.MatchString(e.Name) {
		return refuse("provider %d has no name that can be used: give one of letters, digits, dots and dashes", i+1)
	}
	p := Provider{
		Name: e.Name, Kind: Kind(e.Kind), BaseURL: strings.TrimSpace(e.BaseURL), Models: e.Models, Source: m.userFile,
		Rate: llm.Rate{PerMinute: max(e.Rate.PerMinute, 0), Burst: max(e.Rate.Burst, 0)},
	}
	known := m.complete(&p)
	if !slices.Contains(Kinds(), p.Kind) {
		return refuse("the provider %s is of no known kind: give kind, one of %s", e.Name, listed(Kinds()))
	}
	if p.Kind == KindOllama {
		p.BaseURL = strings.TrimSuffix(strings.TrimRight(p.BaseURL, "/"), "/v1")
	}
	if p.BaseURL == "" && p.Kind != KindMMX {
		return refuse("the provider %s has no baseURL: give the address of its server", e.Name)
	}
	return p, m.key(&p, e, known, refuse)
}

// complete fills in what everybody knows of a provider by its name, or else by its kind.
func (m *merging) complete(p *Provider) hosted {
	for _, h := range hostedProviders() {
		if p.Name != h.name && (p.Kind != h.kind || h.kind == KindCompatible) {
			continue
		}
		if p.Kind == "" {
			p.Kind = h.kind
		}
		if p.Name == h.name {
			p.Title = h.title
		}
		if p.BaseURL == "" {
			p.BaseURL = h.baseURL
			if base := m.env(h.envBase); base != "" && p.Name == h.name {
				p.BaseURL = base
			}
			return h
		}
		return hosted{} // its key belongs to its own address
	}
	for _, local := range usual() {
		if p.Name == local.Name || p.Kind == KindOllama && local.Kind == KindOllama {
			p.fillFrom(local)
		}
	}
	if p.Kind == "" && p.Name == string(KindMMX) {
		p.Kind = KindMMX
	}
	return hosted{}
}

func (p *Provider) fillFrom(local Provider) {
	if p.Kind == "" {
		p.Kind = local.Kind
	}
	if p.BaseURL == "" {
		p.BaseURL = local.BaseURL
	}
	if p.Name == local.Name {
		p.Title = local.Title
	}
}

// saved, as the key of a provider, is the one that forge setup has put away.
const saved = "saved"

// key finds the key of a provider. A key that stands in the file itself is refused: others may read it there.
func (m *merging) key(p *Provider, e providerEntry, known hosted, refuse func(string, ...any) (Provider, bool)) bool {
	variable := reference.FindStringSubmatch(e.Key)
	switch {
	case e.Key != "" && e.Key != saved && (variable == nil || variable[0] != e.Key):
		_, ok := refuse("a key stands in the file, and is not used: write ${VARIABLE}, or put it away with: forge setup %s", p.Name)
		return ok
	case variable != nil:
		p.Key, p.KeySource = Key(m.env(variable[1])), variable[1]
	case known.envKey != "" && m.env(known.envKey) != "":
		p.Key, p.KeySource = Key(m.env(known.envKey)), known.envKey
	case p.Kind == KindMMX && m.env(EnvMiniMaxKey) != "":
		p.Key, p.KeySource = Key(m.env(EnvMiniMaxKey)), EnvMiniMaxKey
	case e.Key == saved:
		m.savedKey(p)
	}
	if p.Key == "" && p.Missing == "" && (variable != nil || e.Key == saved || known.name != "") {
		p.KeySource = ""
		p.Missing = missing(*p, variable, known)
	}
	return true
}

func (m *merging) savedKey(p *Provider) {
	if m.keys == nil {
		return
	}
	key, where, err := m.keys.Key(p.Name)
	if err != nil {
		p.Missing = err.Error()
		return
	}
	p.Key, p.KeySource = key, where
}

func missing(p Provider, variable []string, known hosted) string {
	ways := "run forge setup " + p.Name
	if variable != nil {
		ways = "set " + variable[1]
	} else if known.envKey != "" {
		ways += ", or set " + known.envKey
	}
	return fmt.Sprintf("there is no key for %s: %s", p.Title, ways)
}

// ollamaURL reads what Ollama's own programs take: a host, a port, or a URL.
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
		name = "127.0.0.1" // where a server listens, and not where one asks
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

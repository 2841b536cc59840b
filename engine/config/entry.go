package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/internal/lazyregexp"
)

var nameOfProvider = lazyregexp.New(`^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$`)

// entry creates a provider from an entry of the user's file.
func (m *merging) entry(i int, e providerEntry) (Provider, bool) {
	at := Notice{File: m.userFile, Line: e.line}
	refuse := func(format string, args ...any) (Provider, bool) {
		at.Text = fmt.Sprintf(format, args...)
		m.settings.Notices = append(m.settings.Notices, at)
		return Provider{}, false
	}
	if !nameOfProvider.MatchString(e.Name) {
		return refuse("provider %d has no valid name: use letters, digits, dots and dashes", i+1)
	}
	p := Provider{
		Name: e.Name, Kind: Kind(e.Kind), BaseURL: strings.TrimSpace(e.BaseURL), Models: e.Models, Source: m.userFile,
		Rate: llm.Rate{PerMinute: m.limit("rate.perMinute of the provider "+e.Name, m.userFile, e.Rate.PerMinute), Burst: m.limit("rate.burst of the provider "+e.Name, m.userFile, e.Rate.Burst)},
	}
	known := m.complete(&p)
	p.Title = cmp.Or(p.Title, p.Name)
	if !slices.Contains(Kinds(), p.Kind) {
		return refuse("the provider %s has no known kind: set kind to one of %s", e.Name, listed(Kinds()))
	}
	if p.Kind == KindOllama {
		p.BaseURL = strings.TrimSuffix(strings.TrimRight(p.BaseURL, "/"), "/v1")
	}
	if p.BaseURL == "" && p.Kind != KindMMX {
		return refuse("the provider %s has no baseURL: set it to the address of its server", e.Name)
	}
	return p, m.key(&p, e, known, refuse)
}

// complete fills in the known values of a provider by its name or its kind.
func (m *merging) complete(p *Provider) hosted {
	for _, h := range hostedProviders() {
		if p.Name != h.name && (p.Kind != h.kind || h.kind == KindCompatible) {
			continue
		}
		p.Kind = cmp.Or(p.Kind, h.kind)
		if p.Name == h.name {
			p.Title = h.title
		}
		if p.BaseURL == "" {
			p.BaseURL = h.baseURL
			if p.Name == h.name {
				p.BaseURL = m.env.baseOf(h)
			}
			return h
		}
		return hosted{} // the known key is for another address
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
	p.Kind = cmp.Or(p.Kind, local.Kind)
	if p.BaseURL == "" {
		p.BaseURL = local.BaseURL
	}
	if p.Name == local.Name {
		p.Title = local.Title
	}
}

// saved, as the key of a provider, means the key that forge setup has stored.
const saved = "saved"

// key finds the key of a provider. A key in the file itself is refused, because others may read the file.
func (m *merging) key(p *Provider, e providerEntry, known hosted, refuse func(string, ...any) (Provider, bool)) bool {
	variable := ""
	if parts := reference.FindStringSubmatch(e.Key); parts != nil && parts[0] == e.Key {
		variable = parts[1]
	}
	if e.Key != "" && e.Key != saved && variable == "" {
		_, ok := refuse("the file contains a key, which is not used: write ${VARIABLE}, or store the key with forge setup %s", p.Name)
		return ok
	}
	m.findKey(p, e, known, variable)
	if wanted := e.Key != "" || known.name != ""; wanted && p.Key == "" && p.Missing == "" {
		p.KeySource, p.Missing = "", missing(*p, variable, known)
	}
	return true
}

// findKey looks for a key where the file names it; the provider's usual variable precedes a saved key.
func (m *merging) findKey(p *Provider, e providerEntry, known hosted, variable string) {
	if variable == "" {
		variable = known.envKey
		if p.Kind == KindMMX {
			variable = EnvMiniMaxKey
		}
		if variable != "" && m.env(variable) == "" {
			variable = ""
		}
	}
	switch {
	case variable != "":
		p.Key, p.KeySource = Key(m.env(variable)), variable
	case e.Key == saved:
		m.savedKey(p)
	}
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

func missing(p Provider, variable string, known hosted) string {
	ways := "run forge setup " + p.Name
	if variable != "" {
		ways = "set " + variable
	} else if known.envKey != "" {
		ways += ", or set " + known.envKey
	}
	return fmt.Sprintf("there is no key for %s: %s", p.Title, ways)
}

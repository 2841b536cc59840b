package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"forge/engine/llm"
)

// merging merges layers, the lowest first.
type merging struct {
	settings Settings
	keys     Keys
	env      Environ
	userFile string
}

// own applies a layer of the user's own. A default covers everything: it replaces the single tiers of lower layers.
func (m *merging) own(layer Models, source string) {
	if layer.Default != "" {
		m.settings.Default = m.ref(layer.Default, "models.default", source)
		m.settings.Tiers = nil
	}
	for _, e := range m.tiers(layer.Tiers, "models.tiers", source) {
		m.setTier(e.tier, m.ref(e.value, "models.tiers."+string(e.tier), source))
	}
	if layer.Fallback != "" {
		m.settings.Fallback = m.ref(layer.Fallback, "models.fallback", source)
	}
	if layer.Offline != nil {
		m.settings.Offline = *layer.Offline
	}
	m.rest(layer, source)
}

// foreign applies a layer that a folder may have written.
func (m *merging) foreign(layer Models, source string) {
	if layer.Default != "" {
		if ref := m.ref(layer.Default, "models.default", source); m.mayReplace(ref, m.everything()...) {
			m.settings.Default, m.settings.Tiers = ref, nil
		}
	}
	for _, e := range m.tiers(layer.Tiers, "models.tiers", source) {
		if ref := m.ref(e.value, "models.tiers."+string(e.tier), source); m.mayReplace(ref, m.of(e.tier)) {
			m.setTier(e.tier, ref)
		}
	}
	if layer.Fallback != "" {
		if ref := m.ref(layer.Fallback, "models.fallback", source); m.mayReplace(ref, m.everything()...) {
			m.settings.Fallback = ref
		}
	}
	if layer.Offline != nil {
		m.offlineOnly(*layer.Offline, source)
	}
	m.rest(layer, source)
}

func (m *merging) offlineOnly(offline bool, source string) {
	if !offline && m.settings.Offline {
		m.say("models.offline in %s is refused: you have set it yourself", source)
	}
	m.settings.Offline = m.settings.Offline || offline
}

// rest applies the settings that are harmless in any layer.
func (m *merging) rest(layer Models, source string) {
	for _, node := range slices.Sorted(maps.Keys(layer.Roles)) {
		tier := layer.Roles[node]
		if !slices.Contains(Tiers(), llm.Tier(tier)) {
			m.say("models.roles.%s in %s: unknown tier %q; the tiers are %s", node, source, tier, listed(Tiers()))
			continue
		}
		m.settings.Roles[node] = llm.Tier(tier)
	}
	for _, node := range slices.Sorted(maps.Keys(layer.Thinking)) {
		tokens := layer.Thinking[node]
		if tokens < 0 || tokens > mostThinking {
			m.say("models.thinking.%s in %s: %d is not a valid number of tokens: use 0 to %d", node, source, tokens, mostThinking)
			continue
		}
		m.settings.Thinking[node] = tokens
	}
	for _, e := range m.tiers(layer.Delivery, "models.delivery", source) {
		if !slices.Contains([]Delivery{Stream, Sync, Batch}, Delivery(e.value)) {
			m.say("models.delivery.%s in %s: %q is not valid: use stream, sync or batch", e.tier, source, e.value)
			continue
		}
		m.settings.Delivery = copied(m.settings.Delivery)
		m.settings.Delivery[e.tier] = Delivery(e.value)
	}
	if layer.Cache != nil {
		m.settings.Cache = *layer.Cache
	}
}

// lower applies a project's budget if it is smaller. usual applies if the user has none.
func (m *merging) lower(b BudgetEntry, usual Budget) {
	now, asked := &m.settings.Budget, b.valid(m, ProjectFile)
	if limit := cmp.Or(now.Tokens, usual.Tokens); asked.Tokens > 0 && (limit == 0 || asked.Tokens < limit) {
		now.Tokens = asked.Tokens
	}
	if limit := cmp.Or(now.USD, usual.USD); asked.USD > 0 && (limit == 0 || asked.USD < limit) {
		now.USD = asked.USD
	}
}

// mayReplace reports whether a setting of a folder may replace the user's choice: it names one of the user's
// providers, and does not move from this machine to another one.
func (m *merging) mayReplace(ref Ref, now ...Ref) bool {
	p, known := m.settings.Provider(ref.Provider)
	if !known || p.Usual && p.Missing != "" {
		m.say("%s is refused: %q names none of your providers (%s); use provider/model", ref.Source, ref, m.settings.Names())
		return false
	}
	if p.Local() {
		return true
	}
	for _, chosen := range now {
		if old, is := m.meant(chosen); is && old.Local() {
			m.say("%s is refused: %s is elsewhere, and you have chosen %s, which is on this machine", ref.Source, ref, old.Title)
			return false
		}
	}
	return true
}

// meant returns the provider of a reference; if it names none, the first that the user has chosen.
func (m *merging) meant(r Ref) (Provider, bool) {
	if r.Provider != "" {
		return m.settings.Provider(r.Provider)
	}
	i := slices.IndexFunc(m.settings.Providers, func(p Provider) bool { return !p.Usual })
	if i < 0 {
		return Provider{}, false
	}
	return m.settings.Providers[i], true
}

func (m *merging) of(tier llm.Tier) Ref {
	if ref, is := m.settings.Tiers[tier]; is {
		return ref
	}
	return m.settings.Default
}

func (m *merging) everything() []Ref {
	return append(slices.Collect(maps.Values(m.settings.Tiers)), m.settings.Default)
}

func (m *merging) setTier(tier llm.Tier, ref Ref) {
	m.settings.Tiers = copied(m.settings.Tiers)
	m.settings.Tiers[tier] = ref
}

// ofTier is the value of a setting for one tier.
type ofTier struct {
	tier  llm.Tier
	value string
}

// tiers returns the entries of known tiers, and reports the others.
func (m *merging) tiers(entries map[string]string, what, source string) []ofTier {
	var known []ofTier
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if !slices.Contains(Tiers(), llm.Tier(name)) {
			m.say("%s in %s: unknown tier %q; the tiers are %s", what, source, name, listed(Tiers()))
			continue
		}
		known = append(known, ofTier{llm.Tier(name), entries[name]})
	}
	return known
}

// ref reads a reference in a setting of a layer.
func (m *merging) ref(text, setting, source string) Ref {
	if source == "the environment" {
		return m.settings.ref(text, EnvModel)
	}
	return m.settings.ref(text, setting+" in "+source)
}

func (m *merging) say(format string, args ...any) {
	m.settings.Notices = append(m.settings.Notices, Notice{Text: fmt.Sprintf(format, args...)})
}

func listed[T ~string](values []T) string {
	var names []string
	for _, v := range values {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

func copied[K comparable, V any](m map[K]V) map[K]V {
	result := maps.Clone(m)
	if result == nil {
		result = map[K]V{}
	}
	return result
}

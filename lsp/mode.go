package lsp

import (
	"cmp"
	"encoding/json"
	"sync/atomic"

	"forge/api"
	"forge/api/service"
	"forge/engine"
)

// The client's settings for the mode and the domain of runs that name none.
const (
	modeSection   = "forge.mode"
	domainSection = "forge.domain"
)

// configureMode applies the mode of the client's settings.
func (se *settings) configureMode(raw json.RawMessage) {
	se.configureName(modeSection, raw, &se.chosenMode, service.CheckMode)
}

// configureDomain applies the domain of the client's settings.
func (se *settings) configureDomain(raw json.RawMessage) {
	se.configureName(domainSection, raw, &se.chosenDomain, service.CheckDomain)
}

// configureName applies a name of the client's settings. An unknown one changes nothing.
func (se *settings) configureName(section string, raw json.RawMessage, into *atomic.Pointer[string], known func(name string) error) {
	var name string
	if len(raw) > 0 && json.Unmarshal(raw, &name) != nil {
		se.log.Warn("the setting " + section + " cannot be read, and is left as it was")
		return
	}
	if err := known(name); err != nil {
		se.log.Warn("the setting "+section+" is left as it was", "why", err)
		return
	}
	into.Store(&name)
}

// modeFor is the mode and the domain of a run: those that it names, or those of the client's settings. Such a mode is only
// suggested: a folder may have written it.
func (se *settings) modeFor(a *api.RunArgs, r engine.Request) engine.Request {
	if set := se.chosenDomain.Load(); set != nil {
		r.Domain = cmp.Or(r.Domain, *set)
	}
	if set := se.chosenMode.Load(); a.Mode == "" && set != nil {
		r.Mode, r.Suggested = *set, *set != ""
		return r
	}
	r.Mode = cmp.Or(a.Mode, r.Mode)
	return r
}

package lsp

import (
	"cmp"
	"encoding/json"

	"forge/engine"
	"forge/engine/mode"
	"forge/lsp/command"
)

// modeSection is the client's setting for the mode of runs that name none.
const modeSection = "forge.mode"

// configureMode takes over what the client's settings say of the mode. A mode that there is not leaves what holds.
func (f *front) configureMode(raw json.RawMessage) {
	var name string
	if len(raw) > 0 && json.Unmarshal(raw, &name) != nil {
		f.server.log.Warn("the setting forge.mode cannot be read, and is left as it was")
		return
	}
	if _, err := mode.Lookup(name); err != nil {
		f.server.log.Warn("the setting forge.mode is left as it was", "why", err)
		return
	}
	f.chosenMode.Store(&name)
}

// modeFor is the mode of a run: the one it names, or that of the client's settings, which is only suggested: a folder may have
// written them.
func (f *front) modeFor(a *command.RunArgs, r engine.Request) engine.Request {
	if set := f.chosenMode.Load(); a.Mode == "" && set != nil {
		r.Mode, r.Suggested = *set, *set != ""
		return r
	}
	r.Mode = cmp.Or(a.Mode, r.Mode)
	return r
}

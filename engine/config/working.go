package config

import "forge/engine/mode"

// working takes over what the user's own file says of how runs work. A folder has no say in it: a mode can allow more than the
// person wants.
func (m *merging) working(user file) {
	if _, err := mode.Lookup(user.Mode); err != nil {
		m.say("mode in %s: %v", m.userFile, err)
	} else {
		m.settings.Mode = user.Mode
	}
	if _, err := mode.LookupDomain(user.Domain); err != nil {
		m.say("domain in %s: %v", m.userFile, err)
	} else {
		m.settings.Domain = user.Domain
	}
	m.bounds(user)
	if user.AutoFix != nil {
		m.settings.AutoFix = *user.AutoFix
	}
	m.settings.Limits = Limits{
		Steps:     m.limit("steps", user.Limits.Steps),
		ToolCalls: m.limit("toolCalls", user.Limits.ToolCalls),
		Minutes:   m.limit("minutes", user.Limits.Minutes),
	}
}

// limit is a limit that is one.
func (m *merging) limit(name string, value int) int {
	if value < 0 {
		m.say("limits.%s in %s: %d is no limit: give a number above 0", name, m.userFile, value)
		return 0
	}
	return value
}

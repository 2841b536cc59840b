package config

import "forge/engine/mode"

// working applies the settings of the user's own file about how runs work. A folder cannot set them: a mode could allow more
// than the user wants.
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

// limit returns a valid limit.
func (m *merging) limit(name string, value int) int {
	if value < 0 {
		m.say("limits.%s in %s: %d is not a valid limit: use a number above 0", name, m.userFile, value)
		return 0
	}
	return value
}

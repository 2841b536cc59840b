package config

import (
	"go.yaml.in/yaml/v3"

	"forge/engine/mode"
)

// number is a whole number, where a file says one. What is none leaves the setting unsaid: it is told as any wrong value is.
type number struct {
	value int
	said  bool
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (n *number) UnmarshalYAML(node *yaml.Node) error {
	if err := node.Decode(&n.value); err != nil {
		return err //nolint:wrapcheck // the library gathers its own
	}
	n.said = true
	return nil
}

type graphEntry struct {
	MaxHops number `yaml:"maxHops,omitempty"`
}

type concurrencyEntry struct {
	Tasks   number `yaml:"tasks,omitempty"`
	Writers number `yaml:"writers,omitempty"`
}

type exploreEntry struct {
	Rounds number `yaml:"rounds,omitempty"` // 0 is none
}

// saidOf is a bound of runs, and what a file says of it.
type saidOf struct {
	bound mode.Bound
	number
}

func (f file) bounds() []saidOf {
	return []saidOf{
		{mode.Hops, f.Graph.MaxHops}, {mode.Tasks, f.Concurrency.Tasks}, {mode.Writers, f.Concurrency.Writers},
		{mode.Attempts, f.Attempts}, {mode.Rounds, f.Explore.Rounds},
	}
}

// bounds takes over what the user's own file says of how far runs go.
func (m *merging) bounds(user file) {
	m.eachBound(user, m.userFile, func(b mode.Bound, said int) error { return b.Set(&m.settings.Bounds, said) })
}

// lowerBounds takes what a project says of how far runs go where that is less far. usual holds where the user has said nothing.
func (m *merging) lowerBounds(project file, usual mode.Bounds) {
	m.eachBound(project, ProjectFile, func(b mode.Bound, said int) error { return b.Lower(&m.settings.Bounds, usual, said) })
}

// eachBound takes over each bound that a file says something of, and tells of those that cannot be what it says.
func (m *merging) eachBound(f file, source string, take func(b mode.Bound, said int) error) {
	for _, s := range f.bounds() {
		if !s.said {
			continue
		}
		if err := take(s.bound, s.value); err != nil {
			m.settings.Notices = append(m.settings.Notices, Notice{File: source, Text: err.Error()})
		}
	}
}

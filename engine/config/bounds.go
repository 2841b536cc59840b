package config

import (
	"go.yaml.in/yaml/v3"

	"forge/engine/mode"
)

// number is a whole number in a file. Another value leaves the setting unset, and gets the notice of any wrong value.
type number struct {
	value int
	said  bool
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (n *number) UnmarshalYAML(node *yaml.Node) error {
	if err := node.Decode(&n.value); err != nil {
		return err //nolint:wrapcheck // the library collects its own errors
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

// saidOf is a bound of runs, and its value in a file.
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

// bounds applies the bounds of runs in the user's own file.
func (m *merging) bounds(user file) {
	m.eachBound(user, m.userFile, func(b mode.Bound, said int) error { return b.Set(&m.settings.Bounds, said) })
}

// lowerBounds applies a project's bounds of runs if they are lower. usual applies if the user set none.
func (m *merging) lowerBounds(project file, usual mode.Bounds) {
	m.eachBound(project, ProjectFile, func(b mode.Bound, said int) error { return b.Lower(&m.settings.Bounds, usual, said) })
}

// eachBound applies each bound that a file sets, and reports values out of range.
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

package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Gates are the user's settings of gates. Only the user's own file sets them: a folder adds no command, waives no gate,
// extends no time limit and permits no writes.
type Gates struct {
	Own       []OwnGate                // in the order of the file
	Waived    []string                 // names of gates that do not run
	Timeouts  map[string]time.Duration // limit of each command of a gate, by the gate's name
	Remeasure bool                     // each run measures the baseline again, even if an earlier run has a report
	Whole     string                   // when tests unrelated to the change run: background, before or never; empty means background
	AtFirst   bool                     // stop at the first gate that a change fails
	// Unguarded are names of gates that run without a sandbox.
	Unguarded []string
	// Network are names of gates whose commands have the user's network.
	Network []string
	// Required and Advisory are names of gates whose verdict must be a pass, or is only shown, instead of their own weight.
	Required, Advisory []string
	// Processes and Memory limit the processes, and bytes of memory, of a gate's command with its children; 0 is the default.
	Processes int
	Memory    int64
}

// OwnGate is a command of the user; general.CommandSpec describes the fields.
type OwnGate struct {
	Name     string
	Argv     []string
	Dir      string
	Timeout  time.Duration
	Stage    string
	Findings string
	Checks   int
}

// checksEntry are the settings of gates that the user may also have for a single folder.
type checksEntry struct {
	Gates     []gateEntry       `yaml:"gates,omitempty"`
	Waive     []string          `yaml:"waive,omitempty"` // names of gates
	Required  []string          `yaml:"required,omitempty"`
	Advisory  []string          `yaml:"advisory,omitempty"`
	Timeouts  map[string]string `yaml:"timeouts,omitempty"`  // gate -> "10m"
	Unguarded []string          `yaml:"unguarded,omitempty"` // names of gates
}

type gateEntry struct {
	Name     string   `yaml:"name"`
	Argv     []string `yaml:"argv"`
	Dir      string   `yaml:"dir,omitempty"`
	Timeout  string   `yaml:"timeout,omitempty"` // "90s", "10m"
	Stage    string   `yaml:"stage,omitempty"`
	Findings string   `yaml:"findings,omitempty"` // an expression, or sarif
	Checks   int      `yaml:"checks,omitempty"`
}

// sandboxEntry limits the resources of gates and of models' commands.
type sandboxEntry struct {
	Network   []string `yaml:"network,omitempty"` // names of gates
	Processes number   `yaml:"processes,omitempty"`
	Memory    string   `yaml:"memory,omitempty"` // "12GiB", "800MiB"
}

// MaxTimeout is the longest time limit of a gate.
const MaxTimeout = time.Hour

// gates applies the gates of the user's own file: those for all folders, and those for a folder.
func (m *merging) gates(f file, folder string) {
	g := &m.settings.Gates
	m.checks(f.checksEntry)
	for _, e := range m.above(f.Folders, folder) {
		m.checks(e)
	}
	g.AtFirst, g.Remeasure = f.AtFirst, f.Remeasure
	var valid bool
	if g.Whole, valid = whole(f.Whole); !valid {
		m.say("wholeSuite in %s: %q is not valid: use background, before or never", filepath.Base(m.userFile), f.Whole)
	}
	m.sandbox(f.Sandbox)
}

// whole returns when tests that a change does not concern run. A plain no means never.
func whole(text string) (when string, valid bool) {
	switch text {
	case "", "background", "before", "never":
		return text, true
	case "false", "no", "off":
		return "never", true
	}
	return "", false
}

// above returns the settings that apply to a folder: its own, and before them those of the folders that it is in, the outermost first.
func (m *merging) above(folders map[string]checksEntry, folder string) (all []checksEntry) {
	byPath := map[string]checksEntry{}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		path, is := m.absolute(name)
		if !is {
			m.say("folders in %s: %q is not an absolute path: use an absolute path, or one that begins with ~/", filepath.Base(m.userFile), name)
			continue
		}
		byPath[withoutLinks(path)] = folders[name]
	}
	if folder == "" {
		return nil
	}
	inner := withoutLinks(folder)
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		if rel, err := filepath.Rel(path, inner); err == nil && filepath.IsLocal(rel) {
			all = append(all, byPath[path])
		}
	}
	return all
}

// withoutLinks returns a path without links, or as it is if it does not exist.
func withoutLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// checks adds settings of gates.
func (m *merging) checks(f checksEntry) {
	g := &m.settings.Gates
	for _, e := range f.Gates {
		timeout, err := m.timeout("gates: "+e.Name, e.Timeout)
		switch {
		case strings.TrimSpace(e.Name) == "" || len(e.Argv) == 0:
			m.say("gates in %s: a gate needs a name and an argv, as in {name: licences, argv: [reuse, lint], checks: 1}", m.userFile)
		case slices.ContainsFunc(g.Own, func(o OwnGate) bool { return o.Name == e.Name }):
			m.say("gates in %s: two are named %s; the first one is used", m.userFile, e.Name)
		case err == nil:
			g.Own = append(g.Own, OwnGate{e.Name, e.Argv, e.Dir, timeout, e.Stage, e.Findings, e.Checks})
		}
	}
	g.Waived, g.Unguarded = append(g.Waived, f.Waive...), append(g.Unguarded, f.Unguarded...)
	g.Required, g.Advisory = append(g.Required, f.Required...), append(g.Advisory, f.Advisory...)
	for _, name := range slices.Sorted(maps.Keys(f.Timeouts)) {
		if timeout, err := m.timeout("timeouts: "+name, f.Timeouts[name]); err == nil && timeout > 0 {
			g.Timeouts = copied(g.Timeouts)
			g.Timeouts[name] = timeout
		}
	}
}

// timeout reads a duration, and reports an invalid one. Empty is 0.
func (m *merging) timeout(what, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && (d <= 0 || d > MaxTimeout) {
		err = fmt.Errorf("%v is not between 0 and %v", d, MaxTimeout)
	}
	if err != nil {
		m.say("%s in %s: %q is not a valid time limit: use one such as 90s or 10m, up to %v", what, filepath.Base(m.userFile), text, MaxTimeout)
	}
	return d, err
}

// within is timeout; an invalid one is 0.
func (m *merging) within(what, text string) time.Duration {
	d, err := m.timeout(what, text)
	if err != nil {
		return 0
	}
	return d
}

// The lowest limits of a sandbox: below them, no tool starts.
const (
	leastProcesses = 8
	leastMemory    = 64 << 20
)

// sandbox applies which gates have the network, and the limits of processes and memory. An invalid one is reported, and the default stays.
func (m *merging) sandbox(e sandboxEntry) {
	g, file := &m.settings.Gates, filepath.Base(m.userFile)
	g.Network = slices.Clone(e.Network)
	switch {
	case !e.Processes.said:
	case e.Processes.value < leastProcesses:
		m.say("sandbox.processes in %s: %d is too few: use %d or more", file, e.Processes.value, leastProcesses)
	default:
		g.Processes = e.Processes.value
	}
	if e.Memory == "" {
		return
	}
	memory, known := bytesIn(e.Memory)
	if !known || memory < leastMemory {
		m.say("sandbox.memory in %s: %q is not a valid size of memory: use one such as 12GiB or 800MiB, %dMiB or more", file, e.Memory, leastMemory>>20)
		return
	}
	g.Memory = memory
}

// bytesIn reads a size: a whole number of MiB or GiB.
func bytesIn(text string) (bytes int64, known bool) {
	for unit, size := range map[string]int64{"MiB": 1 << 20, "GiB": 1 << 30} {
		digits, is := strings.CutSuffix(text, unit)
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 32)
		if is && err == nil {
			return n * size, true
		}
	}
	return 0, false
}

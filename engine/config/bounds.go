package config

import (
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"forge/engine/mode"
	"forge/internal/lazyregexp"
)

// number is a whole number in a file, and amount one with decimals.
type (
	number = given[int]
	amount = given[float64]
)

// given is a number in a file. Another value leaves the setting unset, and gets the notice of any wrong value.
type given[T int | float64] struct {
	value T
	said  bool
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (g *given[T]) UnmarshalYAML(node *yaml.Node) error {
	if err := node.Decode(&g.value); err != nil {
		return err //nolint:wrapcheck // the library collects its own errors
	}
	g.said = true
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

type fanoutEntry struct {
	Depth number `yaml:"depth,omitempty"` // 0 is none
}

type planEntry struct {
	SanityEvery number `yaml:"sanityEvery,omitempty"` // 0 is never
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
		{mode.Fanout, f.Fanout.Depth}, {mode.Sanity, f.Plan.SanityEvery},
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

// Tools are what models may do beyond reading and changing files. Only the user's own file sets them.
type Tools struct {
	// Commands are the beginnings of the commands that models may start, in the order of the file. None is empty.
	Commands [][]string
}

// Web is what models may read from the web. Only the user's own file sets it.
type Web struct {
	Allowed bool
	Hosts   []string // the allowed hosts; "*.example.com" allows its subdomains; empty allows any
	Search  string   // an https URL with {query} in it; empty means no search
}

type toolsEntry struct {
	Commands [][]string `yaml:"commands,omitempty"`
}

type webEntry struct {
	Allowed *bool    `yaml:"allowed,omitempty"`
	Hosts   []string `yaml:"hosts,omitempty"`
	Search  string   `yaml:"search,omitempty"`
}

// QueryMark is the placeholder for the query in the address of a search.
const QueryMark = "{query}"

// tools applies the commands of the user's own file. A command with an empty word, from an unset variable, is dropped.
func (m *merging) tools(e toolsEntry) {
	for _, argv := range e.Commands {
		if len(argv) == 0 || slices.Contains(argv, "") {
			m.say(`tools.commands in %s: a command is a list of words, none of them empty, as in [["go", "generate"], ["npm", "run", "codegen"]]`, m.userFile)
			continue
		}
		m.settings.Tools.Commands = append(m.settings.Tools.Commands, argv)
	}
}

var hostName = lazyregexp.New(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$|^[0-9a-fA-F:]*:[0-9a-fA-F:.]+$`)

// web applies the web settings of the user's own file. If the list of hosts is invalid, nothing is read: without the list any
// host would be allowed.
func (m *merging) web(e webEntry) {
	m.settings.Web.Allowed, m.settings.Web.Hosts = e.Allowed != nil && *e.Allowed, e.Hosts
	if e.Allowed == nil && (e.Hosts != nil || e.Search != "") {
		m.say("web in %s has no effect: also set allowed: true", m.userFile)
	}
	if e.Hosts != nil && len(e.Hosts) == 0 {
		m.say("web.hosts in %s is empty, so nothing is read from the web: name hosts, or remove the line to allow any", m.userFile)
		m.settings.Web.Allowed = false
	}
	for _, host := range e.Hosts {
		if !hostName.MatchString(host) {
			m.say(`web.hosts in %s: %q is not a host name, so nothing is read from the web: use names such as pkg.go.dev or *.example.com`, m.userFile, host)
			m.settings.Web.Allowed = false
		}
	}
	if e.Search == "" {
		return
	}
	if parsed, err := url.Parse(e.Search); err != nil || parsed.Scheme != "https" || parsed.Host == "" || !strings.Contains(e.Search, QueryMark) {
		m.say(`web.search in %s: give an https address with %s in it, as https://search.example/?q=%[2]s`, m.userFile, QueryMark)
		return
	}
	m.settings.Web.Search = e.Search
}

// noWebUnlessClear disables the web if the list of hosts is invalid: the user meant to restrict it.
func (p *parsed) noWebUnlessClear(root *yaml.Node) {
	said := child(child(root, "web"), "hosts")
	var hosts []string
	if said != nil && said.Decode(&hosts) != nil {
		p.Web.Allowed = new(bool)
	}
}

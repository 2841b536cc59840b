package config

import (
	"net/url"
	"slices"
	"strings"

	"forge/internal/lazyregexp"

	"go.yaml.in/yaml/v3"
)

// Tools are what models may have done beyond reading and changing files. Only the user's own file says it.
type Tools struct {
	// Commands are how argument lists begin that a model may have started, in the order of the file. None is empty.
	Commands [][]string
}

// Web is what models may read from the web. Only the user's own file says it.
type Web struct {
	Allowed bool
	Hosts   []string // only these; "*.example.com" is all that is below it; empty is any
	Search  string   // an https URL with {query} in it; empty is that nobody is asked
}

type toolsEntry struct {
	Commands [][]string `yaml:"commands,omitempty"`
}

type webEntry struct {
	Allowed bool     `yaml:"allowed,omitempty"`
	Hosts   []string `yaml:"hosts,omitempty"`
	Search  string   `yaml:"search,omitempty"`
}

// QueryMark is what stands in the address of a search for what is searched for.
const QueryMark = "{query}"

// tools takes what the user's own file says of commands. An empty word comes of a variable that is not set: such a command is none.
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

// web takes what the user's own file says of the web. Where a list of hosts cannot be understood nothing is read: without it any
// host could be.
func (m *merging) web(e webEntry) {
	m.settings.Web.Allowed, m.settings.Web.Hosts = e.Allowed, e.Hosts
	if e.Hosts != nil && len(e.Hosts) == 0 {
		m.say("web.hosts in %s is empty, so that nothing is read from the web: name hosts, or take the line out to allow any", m.userFile)
		m.settings.Web.Allowed = false
	}
	for _, host := range e.Hosts {
		if !hostName.MatchString(host) {
			m.say(`web.hosts in %s: %q is no host, so that nothing is read from the web: give names as pkg.go.dev or *.example.com`, m.userFile, host)
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

// noWebUnlessClear allows nothing from the web where a list of hosts is none: somebody wanted fewer than any.
func (p *parsed) noWebUnlessClear(root *yaml.Node) {
	said := child(child(root, "web"), "hosts")
	var hosts []string
	if said != nil && said.Decode(&hosts) != nil {
		p.Web.Allowed = false
	}
}

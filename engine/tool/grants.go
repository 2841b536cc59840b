package tool

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"forge/engine/permission"
)

// Rule is a rule of the user about calls of tools.
type Rule = permission.Rule

// Answer is what a rule demands: allow, ask or deny.
type Answer = permission.Answer

// Grants are what the user's own settings let tools do beyond the tree of a run. The zero Grants let them do nothing, and a folder
// has no say in them.
type Grants struct {
	// Commands are how argument lists begin that may be started: {"go", "generate"} allows "go generate ./..." too.
	Commands [][]string `json:",omitempty"`
	// ReadOnly says that nothing of the folder may be executed: the user lets models read it, and no more.
	ReadOnly bool     `json:",omitempty"`
	Web      WebGrant `json:",omitzero"`
	// Permissions are the user's rules about calls of tools; those of now hold, and not those that a run began with.
	Permissions []permission.Rule `json:"-"`
	// MCP are the tools of MCP servers that models may ask for.
	MCP []MCPTool `json:",omitempty"`
}

// WebGrant is what may be read from the web.
type WebGrant struct {
	Allowed  bool     `json:",omitempty"`
	Offline  bool     `json:",omitempty"` // nothing is read, whatever is allowed: Forge stays on this machine
	Searches bool     `json:",omitempty"` // there is somebody to ask for pages about something
	Hosts    []string `json:",omitempty"` // only these; "*.example.com" is all that is below it; empty is any
}

// On reports whether anything may be read from the web.
func (g WebGrant) On() bool { return g.Allowed && !g.Offline }

// May reports whether pages of a host may be read.
func (g WebGrant) May(host string) bool {
	host = strings.ToLower(host)
	return g.On() && (len(g.Hosts) == 0 || slices.ContainsFunc(g.Hosts, func(allowed string) bool {
		allowed = strings.ToLower(allowed)
		below, all := strings.CutPrefix(allowed, "*")
		return host == allowed || all && strings.HasSuffix(host, below)
	}))
}

// Refuses says, for the model, why the user's settings do not let a tool be used so; empty is that they do, or have no say in it.
// It looks at nothing but the arguments: what is refused is refused before anybody is asked, and nothing is started.
func (g Grants) Refuses(t Tool, args json.RawMessage) string {
	if t.Effect == Exec && g.ReadOnly {
		return t.Name + " is switched off: the user lets models read this folder, and nothing of it is executed. Work with what you can read"
	}
	if t.Effect == Outside {
		return g.refusesMCP(t)
	}
	if t.Effect != Network && t.Name != Command {
		return ""
	}
	var a Args
	if err := json.Unmarshal(args, &a); err != nil {
		return "" // the tool says what is wrong with them
	}
	if t.Name == Command {
		return g.RefusesCommand(a.Argv)
	}
	return g.Web.refuses(t.Name, a.URL)
}

func (g WebGrant) refuses(name, address string) string {
	switch {
	case g.Allowed && g.Offline:
		return name + " is switched off: Forge is offline. Work with what is in the folder"
	case !g.Allowed:
		return name + " is switched off: runs read nothing from the web unless the user's settings say web: {allowed: true}. Work with what is in the folder"
	case name == searchTool && !g.Searches:
		return name + " has nobody to ask: the user's settings name no web.search, such as https://search.example/?q={query}. Read pages that you know with web.fetch"
	case name == searchTool:
		return ""
	}
	parsed, err := url.Parse(address)
	if err == nil && parsed.Host != "" && !g.May(parsed.Hostname()) {
		return fmt.Sprintf("%s is not among the hosts that the user allows (web.hosts in their settings: %s)", parsed.Hostname(), strings.Join(g.Hosts, ", "))
	}
	return ""
}

// With is the set as it is told to a model: what the user's settings do not allow is said to be switched off, and of the rest how far
// it goes.
func (s Set) With(g Grants) Set {
	s = slices.Clone(s)
	for i, t := range s {
		switch {
		case t.Effect == Exec && g.ReadOnly:
			s[i].Doc = "Switched off."
		case t.Name == Command && len(g.Commands) > 0:
			s[i].Doc += " What begins with one of these may be run: " + g.commands() + "."
		case t.Name == Command, t.Effect == Network && !g.Web.On(), t.Name == searchTool && !g.Web.Searches:
			s[i].Doc = "Switched off."
		case t.Effect == Network && t.Name != searchTool && len(g.Web.Hosts) > 0:
			s[i].Doc += " Only of " + strings.Join(g.Web.Hosts, ", ") + "."
		}
	}
	return s
}

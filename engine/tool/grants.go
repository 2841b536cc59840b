package tool

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"forge/engine/permission"
	"forge/internal/lazyregexp"
)

// Rule is a rule of the user about calls of tools.
type Rule = permission.Rule

// Answer is what a rule demands: allow, ask or deny.
type Answer = permission.Answer

// Grants are what the user's own settings let tools do beyond the tree of a run. The zero Grants let them do nothing, and a folder does not change
// them.
type Grants struct {
	// Commands are how argument lists begin that may be started: {"go", "generate"} allows "go generate ./..." too.
	Commands [][]string `json:",omitempty"`
	// ReadOnly means that nothing of the folder may be executed: the user lets models read it, and no more.
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
	Searches bool     `json:",omitempty"` // a search engine is configured
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

// Refuses returns, for the model, why the user's settings forbid a call; empty if they do not.
// It looks at the arguments only: a rejected call starts nothing, and the user is not asked about it.
func (g Grants) Refuses(t Tool, args json.RawMessage) string {
	if t.Effect == permission.Exec && g.ReadOnly {
		return t.Name + " is switched off: the user lets models read this folder, and nothing of it is executed. Work with what you can read"
	}
	if t.Effect == permission.Outside {
		return g.refusesMCP(t)
	}
	if t.Effect != permission.Network && t.Name != Command {
		return ""
	}
	var a Args
	if err := json.Unmarshal(args, &a); err != nil {
		return "" // the tool reports what is wrong with them
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
		return name + " is switched off: the user's settings have no web.search, such as https://search.example/?q={query}. Read pages that you know with web.fetch"
	case name == searchTool:
		return ""
	}
	parsed, err := url.Parse(address)
	if err == nil && parsed.Host != "" && !g.May(parsed.Hostname()) {
		return fmt.Sprintf("%s is not among the hosts that the user allows (web.hosts in their settings: %s)", parsed.Hostname(), strings.Join(g.Hosts, ", "))
	}
	return ""
}

// With returns the set as models receive it: tools that the user's settings do not allow are described as switched off, and the others with their limits.
func (s Set) With(g Grants) Set {
	s = slices.Clone(s)
	for i, t := range s {
		switch {
		case t.Effect == permission.Exec && g.ReadOnly:
			s[i].Doc = "Switched off."
		case t.Name == Command && len(g.Commands) > 0:
			s[i].Doc += " What begins with one of these may be run: " + g.commands() + "."
		case t.Name == Command, t.Effect == permission.Network && !g.Web.On(), t.Name == searchTool && !g.Web.Searches:
			s[i].Doc = "Switched off."
		case t.Effect == permission.Network && t.Name != searchTool && len(g.Web.Hosts) > 0:
			s[i].Doc += " Only of " + strings.Join(g.Web.Hosts, ", ") + "."
		}
	}
	return s
}

// RefusesCommand returns, for the model, why a program may not be started with these arguments; empty if it may. What begins as a command of the
// user's does may be started, and all that they did not write themselves stays in the tree by its looks: no argument names an absolute path, and none
// climbs with "..".
func (g Grants) RefusesCommand(argv []string) string {
	if len(g.Commands) == 0 {
		return "commands are switched off: the user's settings name none in tools.commands. Use run_tests and the other tools"
	}
	if len(argv) == 0 {
		return ""
	}
	allowed := g.Begins(argv)
	if allowed == 0 {
		return fmt.Sprintf("%s is not among the commands that the user allows (tools.commands in their settings): %s. Use one of those, or continue without",
			line(argv), g.commands())
	}
	for _, argument := range argv[allowed:] {
		if leaves(argument) {
			return fmt.Sprintf("%s leads out of the tree, or may: name paths below the top of the folder. What tools.commands in the user's settings names itself may lead anywhere", line([]string{argument}))
		}
	}
	return ""
}

// Begins is how many of the first arguments are a command of the user's; 0 is that it is none.
func (g Grants) Begins(argv []string) (longest int) {
	for _, begins := range g.Commands {
		if n := len(begins); n > longest && n <= len(argv) && slices.Equal(begins, argv[:n]) {
			longest = n
		}
	}
	return longest
}

// commands lists the allowed commands, for models and users.
func (g Grants) commands() string {
	lines := make([]string, len(g.Commands))
	for i, argv := range g.Commands {
		lines[i] = line(argv)
	}
	return strings.Join(lines, "; ")
}

// line returns an argument list on one line, in a form that is not mistaken for a shell command.
func line(argv []string) string {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = a
		if !plainWord.MatchString(a) {
			quoted[i] = fmt.Sprintf("%q", a)
		}
	}
	return strings.Join(quoted, " ")
}

var (
	plainWord = lazyregexp.New(`^[\w@%+=:,./*-]+$`)
	// drive is how absolute paths of Windows begin.
	drive = lazyregexp.New(`^[A-Za-z]:[/\\]`)
	// between separates a path from the text before it in an argument, as in --out=/tmp, @/etc/passwd, a:/b, file:///c.
	between = lazyregexp.New(`[=:,;@'"\s]`)
)

// leaves reports whether an argument may name something outside of the tree: a program may take any part of it for a path.
func leaves(argument string) bool {
	if drive.MatchString(argument) || climbs(argument) {
		return true
	}
	return slices.ContainsFunc(Parts(argument), func(part string) bool {
		return strings.HasPrefix(part, "~") || path.IsAbs(part) || drive.MatchString(part) || climbs(part)
	})
}

func climbs(part string) bool {
	return slices.Contains(strings.FieldsFunc(part, func(r rune) bool { return r == '/' || r == '\\' }), "..") || strings.HasPrefix(part, `\`)
}

// Parts are the parts of an argument that a program may take for a path: all of it, what follows a sign such as "=", and what
// follows an option of one letter (-I../x).
func Parts(argument string) []string {
	parts := append([]string{argument}, between.Split(argument, -1)...)
	if len(argument) > 2 && argument[0] == '-' {
		parts = append(parts, argument[2:])
	}
	return parts
}

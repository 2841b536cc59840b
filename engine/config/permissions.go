package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// PermissionRule is a rule about calls of tools by models. Only the user's own file has any.
type PermissionRule struct {
	Tool   string // the name of a tool, a pattern such as "web.*", or a kind: command, edit, look, web, mcp, check
	Match  string // the words of a command, or a path or an address; empty is any call
	Answer string // allow, ask or deny
	Source string // where it is written, for users
}

type permissionEntry struct {
	Tool   string `yaml:"tool"`
	Match  string `yaml:"match,omitempty"`
	Answer string `yaml:"answer"`
}

// permissions applies the rules of the user's own file. If one is invalid nothing may run: what it would have denied is unknown.
func (m *merging) permissions(user parsed) {
	file := filepath.Base(m.userFile)
	for i, e := range user.Permissions {
		source := fmt.Sprintf("permissions[%d] in %s", i, file)
		switch {
		case strings.TrimSpace(e.Tool) == "":
			m.fail(fmt.Errorf("%s names no tool, as in {tool: run_command, match: \"git push **\", answer: deny}", source))
		case !slices.Contains([]string{"allow", "ask", "deny"}, e.Answer):
			m.fail(fmt.Errorf("%s: %q is not an answer: use allow, ask or deny", source, e.Answer))
		default:
			m.settings.Permissions = append(m.settings.Permissions, PermissionRule{Tool: e.Tool, Match: e.Match, Answer: e.Answer, Source: source})
		}
	}
}

// noRunsUnlessClear makes a mistake within the rules an error.
func (p *parsed) noRunsUnlessClear(rules *yaml.Node) {
	for _, n := range p.notices {
		if rules != nil && n.Line >= rules.Line && n.Line <= lastLine(rules) {
			p.err = errors.New(n.String())
		}
	}
}

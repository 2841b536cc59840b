package javascript

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// suite is one start of one runner.
type suite struct {
	program     string // "vitest"
	argv        []string
	env         []string
	parse       func(stdout, stderr string, r tool.Root) results
	doubt       func(s seal, said *results, stdout string, r tool.Root)
	unexplained bool
	missing     bool
}

// tests reports whether the gate is of use. A folder of packages that has no tests itself leaves them to its packages, and a project
// below another one that neither has a script for tests nor asks for what runs them has none.
func (p *project) tests() bool {
	starts := len(p.calls("test", known(), maxDepth)) > 0
	switch {
	case starts:
		return true
	case p.isWorkspace():
		return false
	case p.dir == p.top:
		return true
	}
	return hasTestScript(p.manifest) || slices.ContainsFunc(runners, func(r runner) bool { return p.dependsOn(r.program) })
}

func known() []string { return append(runnerNames(), "node", "tsx") }

func runnerNames() (names []string) {
	for _, r := range runners {
		names = append(names, r.program)
	}
	return names
}

// suites are the starts that make up the tests of a project.
func (p *project) suites() []suite { return p.suitesIn(gate.Scope{}) }

// suitesIn are those of a scope.
func (p *project) suitesIn(scope gate.Scope) (all []suite) {
	for _, c := range p.calls("test", known(), maxDepth) {
		if c.program == "node" || c.program == "tsx" {
			c = p.throughNode(c)
		}
		if s, ok := p.suite(c); ok {
			all = append(all, p.narrowed(s, c, scope))
		}
	}
	if len(all) > 0 {
		return all
	}
	if isStrange(p.unread()) {
		return nil
	}
	for _, r := range runners {
		if p.dependsOn(r.program) {
			c := call{program: r.program}
			s, _ := p.suite(c)
			return []suite{p.narrowed(s, c, scope)}
		}
	}
	if p.other() != "" {
		return nil
	}
	c := call{program: "node", args: []word{{text: "--test"}}}
	s, _ := p.suite(c)
	return []suite{p.narrowed(s, c, scope)}
}

// other is the script of a project that is tested by something Forge does not know.
func (p *project) other() string {
	if !hasTestScript(p.manifest) {
		return ""
	}
	return p.Scripts["test"]
}

// suite makes one of a call; not ok is a call of node that runs no tests.
func (p *project) suite(c call) (suite, bool) {
	if c.program == "node" || c.program == "tsx" {
		return p.nodeSuite(c)
	}
	for _, r := range runners {
		if r.program == c.program {
			binary := p.binary(r.program)
			return suite{
				program: r.program, argv: append([]string{binary}, r.arguments(c, p.major(r.program))...), env: c.env, parse: r.parse, doubt: seal.doubt,
				unexplained: r.unexplained, missing: binary == "",
			}, true
		}
	}
	return suite{}, false
}

// throughNode recognises a runner that is started as a program of node, as for --experimental-vm-modules.
func (p *project) throughNode(c call) call {
	for i, w := range c.args {
		program := programOf(w.text)
		if strings.HasPrefix(w.text, "-") || !slices.ContainsFunc(runners, func(r runner) bool { return r.program == program }) {
			continue
		}
		options := strings.Join(texted(c.args[:i]), " ")
		if options != "" {
			c.env = append(slices.Clip(c.env), "NODE_OPTIONS="+options)
		}
		return call{program: program, args: c.args[i+1:], env: c.env}
	}
	return c
}

// nodeSuite makes one of a call of node --test, or of node with a file that speaks to its runner: "node test.js".
func (p *project) nodeSuite(c call) (suite, bool) {
	if !slices.ContainsFunc(c.args, func(w word) bool { return w.text == "--test" || p.isNodeTest(w.text) }) {
		return suite{}, false
	}
	s := suite{program: "node --test", env: c.env, doubt: seal.doubtNode, parse: func(stdout, _ string, r tool.Root) results {
		return parseNode(stdout, r, p.speaksNodeTest)
	}}
	program := c.program
	if program == "tsx" {
		s.program, program = "tsx", p.binary("tsx")
		s.missing = program == ""
	}
	s.argv = append([]string{program}, p.nodeArguments(c, nil)...)
	return s, true
}

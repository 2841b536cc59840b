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
	made        []step // what is started before it
	part        bool   // it runs only tests that a change concerns
	unsigned    bool   // what its runner says is signed by nobody
	// witnessed is that nobody but Node.js tells which files of tests were executed.
	witnessed bool
}

// tests reports whether the gate is of use. A folder of packages that has no tests itself leaves them to its packages, and a project
// below another one that neither has a script for tests nor asks for what runs them has none.
func (p *project) tests() bool {
	starts := slices.ContainsFunc(p.steps(), func(s step) bool { return s.kind == stepTests || s.kind == stepStrange && !delegates(s.program) })
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

// delegates reports whether a program runs the scripts of other packages.
func delegates(program string) bool {
	return slices.Contains([]string{"lerna", "turbo", "nx", "moon", "make", "just"}, program)
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

// suitesIn are those of a scope. What the script makes before it runs tests is made before each.
func (p *project) suitesIn(scope gate.Scope) (all []suite) {
	var made []step
	for _, step := range p.steps() {
		switch step.kind {
		case stepTests:
			if s, ok := p.suite(step.call); ok {
				s = p.narrowed(s, step.call, scope)
				s.made, made = made, nil
				all = append(all, s)
			}
		case stepStrange:
			if step.missing {
				all = append(all, suite{program: step.program, missing: true})
				continue
			}
			s := p.strange(step)
			s.made, made = made, nil
			all = append(all, s)
		case stepBuild:
			if !step.missing {
				made = append(made, step)
			}
		case stepShell:
			if isStranger(step.program) || step.program == "cd" {
				return []suite{p.wholeScript()}
			}
		}
	}
	if len(all) == 0 {
		return p.otherwise(scope)
	}
	return all
}

// otherwise are the suites of a project whose script starts no runner by itself: that of one that the project depends on, where there is no
// script or one that only a shell can tell what it does with it; else npm runs the script, where it may be one of tests.
func (p *project) otherwise(scope gate.Scope) []suite {
	steps := p.steps()
	for _, r := range runners {
		shell := slices.ContainsFunc(steps, func(s step) bool { return s.kind == stepShell && s.program == r.program })
		if p.dependsOn(r.program) && (len(steps) == 0 || !hasTestScript(p.manifest) || shell) {
			c := call{program: r.program}
			s, _ := p.suite(c)
			return []suite{p.narrowed(s, c, scope)}
		}
	}
	if hasTestScript(p.manifest) {
		if slices.ContainsFunc(steps, func(s step) bool { return s.kind == stepBuild || s.kind == stepShell }) {
			return []suite{p.wholeScript()}
		}
		return nil
	}
	c := call{program: "node", args: []word{{text: "--test"}}}
	s, _ := p.suite(c)
	return []suite{p.narrowed(s, c, scope)}
}

// suite makes one of a call; not ok is a call of node that runs no tests.
func (p *project) suite(c call) (suite, bool) {
	if c.program == "node" || c.program == "tsx" {
		return p.nodeSuite(c)
	}
	for _, r := range runners {
		if r.program == c.program {
			binary := p.binary(r.program)
			s := suite{
				program: r.program, argv: append([]string{binary}, r.arguments(c, p.major(r.program))...), env: c.env, parse: r.parse, doubt: seal.doubt,
				unexplained: r.unexplained, missing: binary == "",
			}
			if r.reads != nil {
				s.doubt, s.unsigned = seal.doubtCut, true
				s.parse = func(stdout, stderr string, root tool.Root) results { return r.reads(p, stdout, stderr, root) }
			}
			return s, true
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

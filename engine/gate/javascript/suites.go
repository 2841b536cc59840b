package javascript

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
)

// suite is one start of one runner.
type suite struct {
	program     string // "vitest"
	argv        []string
	env         []string
	parse       func(stdout, stderr string, r tool.Root) testrun.Results
	doubt       func(s testrun.Seal, said *testrun.Results, stdout string, r tool.Root)
	unexplained bool
	missing     bool
	made        []step // runs before it
	part        bool   // it runs only tests that a change concerns
	idle        bool   // none of these is in the tree
	apart       bool   // no imports connect the changes to its tests
	unsigned    bool   // its runner's output is not signed
	// witnessed means that only Node.js reports which test files were executed.
	witnessed bool
}

// runsTests reports whether the gate is useful. A workspace root without tests leaves them to its packages, and a nested project
// without a test script or runner has none.
func (t testScript) runsTests() bool {
	p := t.project
	starts := slices.ContainsFunc(t.steps, func(s step) bool { return s.kind == stepTests || s.kind == stepStrange && !delegates(s.program) })
	switch {
	case starts:
		return true
	case p.IsWorkspace():
		return false
	case p.Dir == p.Top:
		return true
	}
	return p.HasTestScript() || slices.ContainsFunc(runners, func(r runner) bool { return p.DependsOn(r.program) })
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

// suites returns the suites of a project's tests.
func (t testScript) suites() []suite { return t.suitesIn(gate.Scope{}) }

// suitesIn returns those of a scope; suites that a change does not concern are omitted if another one is concerned. The script's
// build steps run before each.
func (t testScript) suitesIn(scope gate.Scope) (busy []suite) {
	all := t.starts(scope)
	narrow := slices.ContainsFunc(all, func(s suite) bool { return s.part || s.idle })
	var made []step
	for i, s := range all {
		if all[i].idle = s.idle || s.apart && narrow; all[i].idle {
			made = append(made, s.made...)
			continue
		}
		s.made, made = append(made, s.made...), nil
		s.part = s.part || narrow
		busy = append(busy, s)
	}
	if len(busy) == 0 {
		return all
	}
	return busy
}

// starts returns the suites that the script starts.
func (t testScript) starts(scope gate.Scope) (all []suite) {
	p := t.project
	var made []step
	for _, step := range t.steps {
		switch step.kind {
		case stepTests:
			if s, ok := suiteOf(p, step.call); ok {
				s = narrowed(p, s, step.call, scope)
				s.made, made = made, nil
				all = append(all, s)
			}
		case stepStrange:
			if step.missing {
				all = append(all, suite{program: step.program, missing: true})
				continue
			}
			s := strange(p, step)
			s.made, made = made, nil
			all = append(all, s)
		case stepBuild:
			if !step.missing {
				made = append(made, step)
			}
		case stepShell:
			if isStranger(step.program) || step.program == "cd" {
				return []suite{wholeScript()}
			}
		}
	}
	if len(all) == 0 {
		return t.otherwise(scope)
	}
	return all
}

// otherwise returns the suites of a project whose script starts no known runner: that of a runner among the dependencies, if there
// is no script or only a shell can parse it; otherwise the script as npm runs it, if it may be one of tests.
func (t testScript) otherwise(scope gate.Scope) []suite {
	p, steps := t.project, t.steps
	for _, r := range runners {
		shell := slices.ContainsFunc(steps, func(s step) bool { return s.kind == stepShell && s.program == r.program })
		if p.DependsOn(r.program) && (len(steps) == 0 || !p.HasTestScript() || shell) {
			c := npm.Call{Program: r.program}
			s, _ := suiteOf(p, c)
			return []suite{narrowed(p, s, c, scope)}
		}
	}
	if p.HasTestScript() {
		if slices.ContainsFunc(steps, func(s step) bool { return s.kind == stepBuild || s.kind == stepShell }) {
			return []suite{wholeScript()}
		}
		return nil
	}
	c := npm.Call{Program: "node", Args: []npm.Word{{Text: "--test"}}}
	s, _ := suiteOf(p, c)
	return []suite{narrowed(p, s, c, scope)}
}

// suiteOf creates a suite from a call, limited to files if given; not ok for a call of node without tests.
func suiteOf(p *npm.Project, c npm.Call, files ...string) (suite, bool) {
	if c.Program == "node" || c.Program == "tsx" {
		return nodeSuite(p, c)
	}
	for _, r := range runners {
		if r.program == c.Program {
			binary := p.Binary(r.program)
			s := suite{
				program: r.program, argv: append([]string{binary}, r.arguments(c, p.Major(r.program))...), env: c.Env, parse: r.parse, doubt: testrun.Seal.Doubt,
				unexplained: r.unexplained, missing: binary == "",
			}
			if r.reads != nil {
				s.doubt, s.unsigned = testrun.Seal.DoubtCut, true
				if chosen, ok := selected(p, c); ok && len(files) == 0 {
					files = p.Sources.Below(".", chosen.Takes)
				}
				s.parse = func(stdout, stderr string, root tool.Root) testrun.Results {
					return r.reads(testrun.Ran{Sources: p.Sources, Files: files}, stdout, stderr, root)
				}
			}
			return s, true
		}
	}
	return suite{}, false
}

// throughNode recognizes a runner that starts as a program of node, as for --experimental-vm-modules.
func throughNode(c npm.Call) npm.Call {
	for i, w := range c.Args {
		program := npm.ProgramOf(w.Text)
		if strings.HasPrefix(w.Text, "-") || !slices.ContainsFunc(runners, func(r runner) bool { return r.program == program }) {
			continue
		}
		options := strings.Join(npm.TextsOf(c.Args[:i]), " ")
		if options != "" {
			c.Env = append(slices.Clip(c.Env), "NODE_OPTIONS="+options)
		}
		return npm.Call{Program: program, Args: c.Args[i+1:], Env: c.Env}
	}
	return c
}

// nodeSuite creates a suite from node --test, or from node with a file that uses its runner: "node test.js".
func nodeSuite(p *npm.Project, c npm.Call) (suite, bool) {
	if !slices.ContainsFunc(c.Args, func(w npm.Word) bool { return w.Text == "--test" || isNodeTest(p, w.Text) }) {
		return suite{}, false
	}
	s := suite{program: "node --test", env: c.Env, doubt: testrun.Seal.DoubtNode, parse: func(stdout, _ string, r tool.Root) testrun.Results {
		return testrun.ParseNode(stdout, r, func(file string) bool { return speaksNodeTest(p, file) })
	}}
	program := c.Program
	if program == "tsx" {
		s.program, program = "tsx", p.Binary("tsx")
		s.missing = program == ""
	}
	s.argv = append([]string{program}, nodeArguments(p, c, nil)...)
	return s, true
}

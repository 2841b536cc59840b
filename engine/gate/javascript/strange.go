package javascript

import (
	"context"
	"path/filepath"
	"slices"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// strange returns a suite of a program with unreadable output: only its exit code, and the files that Node.js executed, are known.
func strange(p *npm.Project, s step) suite {
	return suite{program: s.program, argv: s.argv, env: append(lifecycle(p), s.call.Env...), parse: silent, doubt: undoubted, witnessed: true}
}

// wholeScript returns a suite that npm runs as a whole, because its steps cannot be separated.
func wholeScript() suite {
	return suite{program: testrun.WholeProgram, argv: []string{"npm", "run", "--silent", "test"}, parse: silent, doubt: undoubted, witnessed: true}
}

func silent(string, string, tool.Root) testrun.Results { return testrun.Results{} }

func undoubted(testrun.Seal, *testrun.Results, string, tool.Root) {}

// lifecycle returns the environment of npm's scripts. https://docs.npmjs.com/cli/using-npm/scripts#environment
func lifecycle(p *npm.Project) []string {
	return []string{
		"npm_lifecycle_event=test", "npm_command=test", "npm_package_name=" + p.Name,
		"npm_package_json=" + filepath.Join(p.Dir, npm.ManifestName), "npm_config_user_agent=npm/10.9.0", "INIT_CWD=" + p.Dir,
	}
}

// make runs the script's build steps before tests. Their faults are reported in addition to those of the tests.
func (g *testGate) make(ctx context.Context, tree gate.Tree, p *npm.Project, s suite, report *gate.Report) (beside []gate.Finding, done bool) {
	r := tool.RootOf(tree)
	for _, m := range s.made {
		t := g.tools
		t.Env = slices.Concat(t.Env, lifecycle(p), m.call.Env)
		result, done := t.Run(ctx, tree, report, g.limit, m.argv...)
		if done {
			return nil, true
		}
		if result.ExitCode != 0 {
			beside = append(beside, testrun.FailedStep(m.program, testrun.RuleLoad, result, r)...)
		}
	}
	return beside, false
}

var shellNotFound = lazyregexp.New(`(?m)^(?:/bin/)?sh: (?:\d+: |line \d+: )?([\w@./-]+): (?:command )?not found$`)

// notFound reports whether npm's shell did not find a program.
func notFound(result sandbox.Result, p *npm.Project, report *gate.Report) bool {
	m := shellNotFound.FindStringSubmatch(string(result.Stderr))
	if result.ExitCode != tool.NotFound || m == nil {
		return false
	}
	p.Lacks(m[1]).NotRun(report)
	return true
}

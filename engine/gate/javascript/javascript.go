// Package javascript is the gates for JavaScript and TypeScript: prettier, eslint, a check of syntax, tsc, and the tests of a project
// by whatever runs them (vitest, jest, mocha, node --test, AVA, tap, tape, uvu, any other program), and the other steps of the script "test",
// run in a scratch tree and read into findings.
//
// A program is the project's own: it is started from node_modules/.bin of the project, or of a folder above it in the tree, with
// arguments as a list. Nothing is downloaded, and of a script that starts programs, these are taken. Only a script that nobody can take
// apart is run by npm, with the shell that npm starts.
//
// Invariants: a verdict never rests on an exit code alone. A test runner that ends without its last word has been ended by something
// in the project and is a Fail, whatever its exit code; a failing tool whose output nobody could parse is an Error; a tool that
// found nothing to check is NotRun. Skipped tests, and those that are only planned, are not executed.
package javascript

import (
	"context"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// How long a tool may take before its gate is an Error.
const (
	formatLimit = 2 * time.Minute
	checkLimit  = 5 * time.Minute
	testLimit   = 10 * time.Minute
)

// The names of the gates.
const (
	nameFormat = "prettier"
	nameLint   = "eslint"
	nameSyntax = "node syntax"
	nameTypes  = "tsc"
	nameScript = "javascript script"
	nameTest   = "javascript test"
)

// environment makes tools say the same everywhere: no colours, and nobody to ask or to watch files for.
var environment = []string{"CI=1", "NO_COLOR=1", "FORCE_COLOR=0", "NODE_DISABLE_COLORS=1"}

// Language is JavaScript, and TypeScript with it. kept is a folder of Forge's own for what tsc remembers from check to check; it is made when it is
// needed. env ("NAME=value") is added to the environment that the runner gives to processes.
func Language(runner sandbox.Runner, kept string, env ...string) gate.Language {
	tools := tools{tool.Tools{
		Runner: runner, Env: append(environment[:len(environment):len(environment)], env...),
		Install: "https://nodejs.org",
	}}
	return gate.Language{
		Versions: tools.versions,
		Name:     "javascript", Roots: roots, Suite: nameTest, IsTest: testrun.IsTest, Inline: inline, Red: Red,
		Endings: []string{"js", "jsx", "ts", "tsx", ".json", ".vue", ".svelte"}, Select: choose, Format: tools.format,
		Later: []string{nameFormat, nameSyntax, nameLint, nameTypes},
		Gates: []gate.Gate{
			&formatGate{tools: tools, limit: formatLimit},
			&syntaxGate{tools: tools, limit: checkLimit},
			&lintGate{tools: tools, limit: checkLimit},
			&typesGate{tools: tools, limit: checkLimit, kept: kept},
			&scriptGate{tools: tools, limit: checkLimit},
			&testGate{tools: tools, limit: testLimit},
		},
	}
}

// choose names the gates of a project.
func choose(_ context.Context, t gate.Tree) []string {
	p, err := npm.Open(t)
	if err != nil {
		return []string{nameTest} // it says what is wrong with package.json
	}
	var names []string
	code, script := p.HasCode(), readScript(p)
	for _, g := range []struct {
		name   string
		wanted bool
	}{
		{nameFormat, formats(p)}, {nameSyntax, code && isPlainJavaScript(p)}, {nameLint, code && lints(p)}, {nameTypes, code && hasTypes(p)},
		{nameScript, code && len(script.checks()) > 0}, {nameTest, code && script.runsTests()},
	} {
		if g.wanted {
			names = append(names, g.name)
		}
	}
	return names
}

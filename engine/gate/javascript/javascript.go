// Package javascript is the gates for JavaScript and TypeScript: prettier, eslint, a syntax check, tsc, the tests of a project with
// any runner (vitest, jest, mocha, node --test, AVA, tap, tape, uvu, any other program), and the other steps of the script "test",
// run in a scratch tree and parsed into findings.
//
// Programs are the project's own: they start from node_modules/.bin of the project, or of a folder above it in the tree, with
// arguments as a list. Nothing is downloaded. If a script starts programs, these are started directly. Only a script that cannot be
// parsed is run by npm, with npm's shell.
//
// Invariants: a verdict never rests on an exit code alone. A test runner that ends without its final message was ended by something
// in the project and is a Fail, regardless of its exit code; a failing tool with unreadable output is an Error; a tool that found
// nothing to check is NotRun. Skipped and planned tests do not count as executed.
package javascript

import (
	"context"
	"path/filepath"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// The time limits of tools, after which a gate is an Error.
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

// environment makes the output of tools uniform: without colours, questions and watching.
var (
	environment = append([]string{"CI=1"}, uncoloured...)
	uncoloured  = []string{"NO_COLOR=1", "FORCE_COLOR=0", "NODE_DISABLE_COLORS=1"}
)

// Language returns the language of JavaScript and TypeScript. kept is a folder of Forge's own for tsc's build information and
// what jest has transformed; it is created on first use. env ("NAME=value") is added to the environment that the runner gives to processes.
func Language(runner sandbox.Runner, kept string, env ...string) gate.Language {
	tools := tools{tool.Tools{
		Runner: runner, Env: append(environment[:len(environment):len(environment)], env...),
		Install: "https://nodejs.org",
	}}
	return gate.Language{
		Versions: tools.versions,
		Name:     "javascript", Roots: npm.Roots, Suite: nameTest, IsTest: testrun.IsTest, Inline: inline, Red: Red,
		Endings: []string{"js", "jsx", "ts", "tsx", ".json", ".vue", ".svelte"}, Select: choose, Format: tools.format,
		Overlap: true,
		Later:   []string{nameFormat, nameSyntax, nameLint}, Meanwhile: []string{nameTypes},
		Gates: []gate.Gate{
			&formatGate{tools: tools, limit: formatLimit},
			&syntaxGate{tools: tools, limit: checkLimit},
			&lintGate{tools: tools, limit: checkLimit},
			&typesGate{tools: tools, limit: checkLimit, kept: filepath.Join(kept, "tsc")},
			&scriptGate{tools: tools, limit: checkLimit},
			&testGate{tools: tools, limit: testLimit, kept: filepath.Join(kept, "jest")},
		},
	}
}

// choose returns the names of a project's gates.
func choose(_ context.Context, t gate.Tree) []string {
	p, err := npm.Open(t)
	if err != nil {
		return []string{nameTest} // it reports what is wrong with package.json
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

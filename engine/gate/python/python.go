// Package python is the gates for Python: compileall, a formatter (ruff or black), a linter (ruff or flake8), a type checker (mypy
// or pyright), bandit, radon, and the tests (pytest, or unittest where there is none), run in a scratch tree and read into findings.
//
// Programs are those of the project's own environment, .venv or venv, else those on PATH; never those that are files of the tree
// itself: a run could have written them. What is selected, and why, is docs/adr/0029.
//
// Invariants: a verdict never rests on an exit code alone. A failing tool with unreadable output is an Error, a tool that
// found nothing to check is NotRun, and a test run passes only when tests were seen to run, and to end. Gates that promise only to
// read run no code of the tree and write nothing into it; the others leave no bytecode and no caches there either.
package python

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/sandbox"
)

// How long a tool may take before its gate is an Error. Tests get longer than checkers, and those longer than formatters.
const (
	formatLimit = 1 * time.Minute
	checkLimit  = 5 * time.Minute
	testLimit   = 10 * time.Minute
	// furtherLimit is for the tests, in a wide scope, that only use what has changed.
	furtherLimit = 45 * time.Second
)

// The gates, by name.
const (
	nameSyntax     = "python syntax"
	nameFormat     = "python format"
	nameLint       = "python lint"
	nameTypes      = "python types"
	nameTest       = "python test"
	nameSecurity   = "python security"
	nameComplexity = "python complexity"
)

// Language is Python.
func Language(runner sandbox.Runner, env ...string) gate.Language {
	t := newTools(runner, env)
	return gate.Language{
		Versions: t.versions,
		Name:     "python", Roots: roots, Gates: gates(t), Suite: nameTest, IsTest: testrun.IsTest, Red: Red, Without: testrun.Without,
		Overlap: true,
		Later:   []string{nameSyntax, nameFormat, nameLint, nameSecurity, nameComplexity}, Meanwhile: []string{nameTypes},
		Endings: []string{".py", ".pyi", ".toml", ".cfg", ".ini"},
		Select:  func(ctx context.Context, tree gate.Tree) []string { return choose(ctx, t, tree) },
		Format:  func(ctx context.Context, tree gate.Tree, paths []string) error { return format(ctx, t, tree, paths) },
	}
}

// check is what all gates have in common.
type check struct {
	tools  tools
	name   string
	limit  time.Duration
	stage  gate.Stage
	weight gate.Weight
	reads  bool                 // no code of the tree is run: flake8 and mypy run plugins that a project's settings name
	needs  func(project) string // the program that is started; empty where the project is configured for none
}

func (c check) Name() string        { return c.name }
func (c check) Stage() gate.Stage   { return c.stage }
func (c check) Weight() gate.Weight { return c.weight }
func (c check) OnlyReads() bool     { return c.reads }

// Preflight looks for the program.
func (c check) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	p := inspect(tree)
	if name := c.needs(p); name != "" {
		return c.tools.lacks(ctx, p, name)
	}
	return gate.Missing{}
}

// Concerned is about code and settings.
func (check) Concerned(_ gate.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(file string) bool { return filepath.IsLocal(file) && (isCode(file) || isSettings(file)) })
}

// gates are those for Python, cheapest first. Types decide only where the project was checked cleanly before.
func gates(t tools) []gate.Gate {
	always := func(name string) func(project) string { return func(project) string { return name } }
	return []gate.Gate{
		&syntaxGate{check{t, nameSyntax, checkLimit, gate.StageFormat, gate.Required, true, always(interpreter())}},
		&formatGate{check{t, nameFormat, formatLimit, gate.StageFormat, gate.Advisory, true, project.formatter}},
		&lintGate{check{t, nameLint, checkLimit, gate.StageLint, gate.WhenGreen, false, project.linter}},
		&typesGate{check{t, nameTypes, checkLimit, gate.StageBuild, gate.WhenGreen, false, project.checker}},
		&testGate{check{t, nameTest, testLimit, gate.StageTest, gate.Required, false, always(interpreter())}, furtherLimit},
		&securityGate{check{t, nameSecurity, checkLimit, gate.StageAudit, gate.Advisory, true, always(bandit)}},
		&complexityGate{check{t, nameComplexity, checkLimit, gate.StageAudit, gate.Advisory, true, always(radon)}},
	}
}

// chosenWithin names the gates of a project in another one, with which its files are checked: those that it is configured for itself.
func (p project) chosenWithin() (names []string) {
	for _, of := range []struct {
		name   string
		wanted bool
	}{
		{nameFormat, p.formatter() != ""}, {nameLint, p.linter() != ""}, {nameTypes, p.checker() != ""}, {nameTest, true},
		{nameSecurity, p.audited()}, {nameComplexity, p.measured()},
	} {
		if of.wanted {
			names = append(names, of.name)
		}
	}
	return names
}

// choose names the gates that check a project: syntax and tests always; format and types when the project is configured for them,
// because their rules are a matter of taste; lint, security and complexity also if the tool is installed.
func choose(ctx context.Context, t tools, tree gate.Tree) []string {
	p := inspect(tree)
	if enclosed(tree) {
		return p.chosenWithin()
	}
	names := []string{nameSyntax}
	if p.formatter() != "" {
		names = append(names, nameFormat)
	}
	if p.linter() != "" || t.available(ctx, p, ruff) || t.available(ctx, p, flake8) {
		names = append(names, nameLint)
	}
	if p.checker() != "" {
		names = append(names, nameTypes)
	}
	names = append(names, nameTest)
	if p.audited() || t.available(ctx, p, bandit) {
		names = append(names, nameSecurity)
	}
	if p.measured() || t.available(ctx, p, radon) {
		names = append(names, nameComplexity)
	}
	return names
}

package engine

import (
	"forge/engine/gate"
	"forge/engine/gate/golang"
	"forge/engine/pipeline"
	"forge/engine/sandbox"
)

// language is how trees of one language are known and checked.
type language struct {
	name   string
	detect func(gate.Tree) bool
	gates  func(sandbox.Runner) []gate.Gate // cheapest first; the last one runs the tests
	isTest func(path string) bool
	red    func(before, after gate.Report) (red bool, reason string) // see pipeline.Project
}

// languages are those that Forge knows.
func languages() []language {
	return []language{{
		name: "go", detect: golang.Detect, isTest: golang.IsTest, red: golang.Red,
		gates: func(r sandbox.Runner) []gate.Gate { return golang.Gates(r) },
	}}
}

// languageOf names the language of a tree; empty when nobody knows it.
func (e *Engine) languageOf(tree gate.Tree) string {
	for _, l := range e.languages {
		if l.detect(tree) {
			return l.name
		}
	}
	return ""
}

// gates are those of all languages.
func (e *Engine) gates() []gate.Gate {
	var all []gate.Gate
	for _, l := range e.languages {
		all = append(all, l.gates(e.runner)...)
	}
	return all
}

// projectOf tells how a language is checked. A tree of no known language has no gates, and a run in it ends
// before it costs anything.
func (e *Engine) projectOf(name string) pipeline.Project {
	for _, l := range e.languages {
		if l.name != name {
			continue
		}
		p := pipeline.Project{IsTest: l.isTest, Red: l.red}
		for _, g := range l.gates(e.runner) {
			p.Gates = append(p.Gates, g.Name())
		}
		p.Tests = p.Gates[len(p.Gates)-1]
		return p
	}
	return pipeline.Project{}
}

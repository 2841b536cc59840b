// Package golang is the gates for Go: gofmt, go vet, staticcheck if it is installed, go build and go test, run in a scratch tree
// and read into findings.
//
// Invariants: a verdict never rests on an exit code alone. A failing tool with unreadable output is an Error, a tool
// that found nothing to check is NotRun, and a test run passes only when tests were seen to run and to end. Nothing is
// written into the tree.
package golang

import (
	"context"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/golang/testtext"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// How long a tool may take before its gate is an Error. Tests get longer than compilers.
const (
	formatLimit = 1 * time.Minute
	buildLimit  = 5 * time.Minute
	testLimit   = 10 * time.Minute
	// furtherLimit limits the checks of packages that only import changed ones: their tests get the time that compiling leaves.
	furtherLimit      = 45 * time.Second
	furtherBuildLimit = 30 * time.Second
	firstFurtherLimit = 20 * time.Second // for the first of them
)

// Language is Go.
func Language(runner sandbox.Runner, env ...string) gate.Language {
	gates := Gates(runner, env...)
	formatter := newFormat(toolsFor(runner, env...))
	return gate.Language{
		Versions: toolsFor(runner, env...).versions,
		Name:     "go", Mark: "go.mod", Roots: roots, Gates: gates, Later: []string{nameVet, nameStaticcheck, nameBuild}, Spare: []string{nameVet, nameStaticcheck}, Suite: nameTest, IsTest: IsTest, Red: Red, Without: testtext.Without, Touched: testtext.Touched, Overlap: true, Endings: []string{".go", "go.mod", "go.sum"}, Format: formatter.format,
		Select: func(ctx context.Context, tree gate.Tree) (names []string) {
			for _, g := range gates {
				if s, is := g.(*staticcheckGate); !is || wantsStaticcheck(tree) || s.there(ctx, tree) {
					names = append(names, g.Name())
				}
			}
			return names
		},
	}
}

// Gates returns the gates for Go, cheapest first. env ("NAME=value") is added to the environment of the processes.
func Gates(runner sandbox.Runner, env ...string) []gate.Gate {
	tools := toolsFor(runner, env...)
	tools.known, tools.built = &listings{}, &tool.PerTree[compilation]{}
	return []gate.Gate{
		newFormat(tools),
		newVet(tools),
		newStaticcheck(tools),
		newBuild(tools, furtherBuildLimit, firstFurtherLimit),
		newTest(tools, furtherLimit),
	}
}

// toolsFor starts the Go distribution's programs. The toolchain is the installed one: a gate downloads no compiler that
// a go.mod demands.
func toolsFor(runner sandbox.Runner, env ...string) tools {
	return tools{Tools: tool.Tools{
		Runner: outside{runner}, Env: append([]string{"GOTOOLCHAIN=local"}, env...), Install: "https://go.dev/doc/install",
		Ended: ended, InPlace: true,
	}}
}

// common holds what the gates of Go share.
type common struct {
	name  string
	stage gate.Stage
	tools tools
	limit time.Duration // of a command
}

// Name returns the gate's name.
func (g *common) Name() string { return g.name }

// Stage returns the stage of a run at which the gate is run.
func (g *common) Stage() gate.Stage { return g.stage }

// Preflight looks for the go command.
func (g *common) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.lacks(ctx, tree)
}

// Concerned reports whether the compiler or a test reads one of the changed files.
func (*common) Concerned(tree gate.Tree, changed []string) bool { return concerned(tree, changed) }

// reader is common for gates that run no code of the tree and write only outside of it.
type reader struct{ common }

// OnlyReads returns true.
func (*reader) OnlyReads() bool { return true }

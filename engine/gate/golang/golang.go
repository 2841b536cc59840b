// Package golang is the gates for Go: gofmt, go vet, go build and go test, run in a scratch tree and
// read into findings.
//
// Invariants: a verdict never rests on an exit code alone. A failing tool whose output nobody could
// parse is an Error, a tool that found nothing to check is NotRun, and a test run passes only when
// tests were seen to run and to end. Nothing is written into the tree.
package golang

import (
	"os"
	"path/filepath"
	"time"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// How long a tool may take before its gate is an Error. Tests get longer than compilers.
const (
	formatLimit = 1 * time.Minute
	buildLimit  = 5 * time.Minute
	testLimit   = 10 * time.Minute
)

// Detect reports whether the tree's root is that of a Go module or workspace.
func Detect(tree gate.Tree) bool {
	for _, name := range []string{"go.mod", "go.work"} {
		if info, err := os.Stat(filepath.Join(tree.Dir(), name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Gates gives the gates for Go, cheapest first. env ("NAME=value") is added to the environment the
// runner gives to processes.
func Gates(runner sandbox.Runner, env ...string) []gate.Gate {
	// The toolchain is the one that is there: a gate downloads no compiler because a go.mod says so.
	tools := tools{runner: runner, env: append([]string{"GOTOOLCHAIN=local"}, env...)}
	return []gate.Gate{
		&formatGate{tools: tools, limit: formatLimit},
		&vetGate{tools: tools, limit: buildLimit},
		&buildGate{tools: tools, limit: buildLimit},
		&testGate{tools: tools, limit: testLimit},
	}
}

package golang

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// lintGate runs a linter on packages, their tests included.
type lintGate struct {
	reader
	command func(tree gate.Tree) []string // without the packages
	parse   func(stdout, stderr string, r places) []gate.Finding
	verb    string // what it does with packages, and what is done with those without findings
	done    string
}

// Run checks every package.
func (g *lintGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn checks what has changed. It leaves out what imports that: other gates compile it, and its text is the same.
func (g *lintGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.name}
	if scope.Reach == gate.ReachWide {
		scope.Reach = gate.ReachNear
	}
	s := g.tools.selected(ctx, tree, scope, wantTests)
	if s.none() {
		return gate.Unconcerned(g.name)
	}
	result, done := g.tools.run(ctx, tree, &report, g.limit, append(g.command(tree), s.args...)...)
	if done {
		return report
	}
	r := placesIn(tree, s.packages)
	if len(r.dirs) == 0 && strings.Contains(string(result.Stderr), "matched no packages") {
		result.ExitCode = 0 // go vet ends with code 1 although nothing was executed and nothing broke
	}
	report.Executed = len(r.dirs)
	report.Findings = g.parse(string(result.Stdout), string(result.Stderr), r)
	concludePackages(&report, result, r, s, "finding", g.verb, g.done)
	return report
}

// concludePackages concludes the report of a gate on packages; its findings and the number of packages that it has looked at are filled in.
func concludePackages(report *gate.Report, result sandbox.Result, r places, s selection, noun, verb, done string) {
	report.Passed = r.sound(report.Findings)
	packages := tool.Count(report.Executed, "package")
	conclude(report, result, fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), noun), report.Executed-report.Passed, packages),
		packages+" "+done+s.told(), "no Go packages to "+verb)
}

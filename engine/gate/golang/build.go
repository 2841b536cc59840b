package golang

import (
	"context"
	"os"
	"path"
	"slices"
	"time"

	"forge/engine/gate"
)

// buildGate compiles every package. Tests are compiled by the test gate.
type buildGate struct {
	reader
	further time.Duration // for packages that only import what has changed, together
	// firstFurther limits the time for the nearest of these. If they take longer, so much else has to be compiled for them that the whole time would
	// expire before the gate learns much.
	firstFurther time.Duration
}

const nameBuild = "go build"

// newBuild returns the gate with the limits for importers of what has changed.
func newBuild(t tools, all, first time.Duration) *buildGate {
	return &buildGate{reader{common{name: nameBuild, stage: gate.StageBuild, tools: t, limit: buildLimit}}, all, first}
}

// Run compiles the tree and throws the result away.
func (g *buildGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn does the same for what has changed, and for what imports it.
func (g *buildGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.Name()}
	s := g.tools.selected(ctx, tree, scope, wantBuilds)
	if s.none() {
		return gate.Unconcerned(g.Name())
	}
	first, rest := s.split(func(listed) bool { return true })
	argv := compile(s)
	result, done := g.tools.run(ctx, tree, &report, g.limit, slices.Concat(argv, first)...)
	if done {
		return report
	}
	began := report.Elapsed
	result, ended := g.tools.runFurther(ctx, tree, &report, further{all: g.further, first: g.firstFurther, each: g.limit}, argv, rest, result)
	g.tools.built.Keep(moduleOf(tree), s.state, compilation{left: slices.Concat(rest[ended:]...), spent: report.Elapsed - began})
	s.left, s.reached = len(slices.Concat(rest[ended:]...)), len(slices.Concat(rest[:ended]...))
	r := placesIn(tree, s.packages)
	if result.ExitCode != 0 {
		report.Findings = parseCompiler(string(result.Stdout)+"\n"+string(result.Stderr), r)
	}
	report.Executed = len(r.dirs) - s.left
	concludePackages(&report, result, r, s, "error", "build", "built")
	return report
}

// compile is the command that compiles packages, without them. Without -o a tree whose only package is a command would get its binary written into it. Of a
// part of a module commands are not linked: that takes longer than all the rest, and what is linked from other packages is the same.
func compile(s selection) []string {
	if s.among > 0 {
		return []string{"go", "list", "-export", "-buildvcs=false"}
	}
	return []string{"go", "build", "-buildvcs=false", "-o", os.DevNull}
}

// sound counts the packages without a finding. With a finding of which the tool named no file, none is known to be.
func (r places) sound(findings []gate.Finding) int {
	broken := map[string]bool{}
	for _, f := range findings {
		if f.Inferred || path.Ext(f.Path) != ".go" {
			return 0
		}
		broken[path.Dir(f.Path)] = true
	}
	n := 0
	for _, dir := range r.dirs {
		if !broken[dir] {
			n++
		}
	}
	return n
}

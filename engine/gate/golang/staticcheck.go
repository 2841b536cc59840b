package golang

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// staticcheckGate runs staticcheck: the version that the module names among its tools, or else the one on PATH.
type staticcheckGate struct {
	tools tools
	limit time.Duration
}

const nameStaticcheck = "staticcheck"

// Name gives the gate's name.
func (g *staticcheckGate) Name() string { return nameStaticcheck }

// Preflight asks for the version; the one that the module brings along is built when it is needed.
func (g *staticcheckGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	if g.wanted(tree) {
		return g.tools.lacks(ctx, tree)
	}
	return g.tools.Lacks(ctx, tree, nameStaticcheck, "-version")
}

// Stage is that of linters.
func (*staticcheckGate) Stage() gate.Stage { return gate.StageLint }

// OnlyReads is true: no code of the tree is run, and what is built stays outside of it.
func (*staticcheckGate) OnlyReads() bool { return true }

// wanted reports whether the module names staticcheck among its tools.
func (g *staticcheckGate) wanted(tree gate.Tree) bool {
	text, err := os.ReadFile(filepath.Join(tree.Dir(), "go.mod"))
	return err == nil && strings.Contains(string(text), "honnef.co/go/tools/cmd/staticcheck")
}

// there reports whether staticcheck is on PATH.
func (g *staticcheckGate) there(ctx context.Context, tree gate.Tree) bool {
	return !g.tools.Lacks(ctx, tree, nameStaticcheck, "-version").Is()
}

// Run checks every package, its tests included.
func (g *staticcheckGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// Concerned is about what the compiler reads.
func (*staticcheckGate) Concerned(tree gate.Tree, changed []string) bool {
	return concerned(tree, changed)
}

// RunIn does the same for what has changed.
func (g *staticcheckGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.Name()}
	if scope.Reach == gate.ReachWide { // as go vet
		scope.Reach = gate.ReachNear
	}
	s := g.tools.selected(ctx, tree, scope, wantTests)
	if s.none() {
		return gate.Unconcerned(g.Name())
	}
	argv := []string{nameStaticcheck, "-f", "json"}
	if g.wanted(tree) {
		argv = append([]string{"go", "tool"}, argv...)
	}
	result, done := g.tools.run(ctx, tree, &report, g.limit, append(argv, s.args...)...)
	if done {
		return report
	}
	r := placesIn(tree, s.packages)
	report.Executed = len(r.dirs)
	report.Findings = parseStaticcheck(string(result.Stdout), string(result.Stderr), r)
	report.Passed = r.sound(report.Findings)
	conclude(&report, result,
		fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), "finding"), report.Executed-report.Passed, tool.Count(report.Executed, "package")),
		tool.Count(report.Executed, "package")+" checked"+s.told(), "no Go packages to check")
	return report
}

// problem is a line of staticcheck -f json. https://staticcheck.dev/docs/running-staticcheck/cli/formatters/
type problem struct {
	Code     string
	Severity string
	Location struct {
		File         string
		Line, Column int
	}
	Message string
}

// parseStaticcheck reads one problem on each line of stdout, and what the go command says on stderr of a module that it
// cannot load.
func parseStaticcheck(stdout, stderr string, r places) []gate.Finding {
	found := parseCompiler(stderr, r)
	for line := range strings.Lines(stdout) {
		var p problem
		if json.Unmarshal([]byte(line), &p) != nil || p.Code == "" || p.Severity == "ignored" {
			continue
		}
		if compiler := parseCompiler(p.Message, r); p.Code == "compile" && p.Location.File == "" && len(compiler) > 0 {
			found = append(found, compiler...)
			continue
		}
		f := gate.Finding{Severity: gate.SeverityError, Rule: nameStaticcheck + "/" + p.Code, Message: r.Inert(p.Message)}
		if p.Severity == "warning" {
			f.Severity = gate.SeverityWarning
		}
		if p.Code == "compile" {
			f.Rule = ruleCompile
		}
		if f.Message == "" {
			f.Message = "staticcheck says no more"
		}
		if path, ok := r.Rel(p.Location.File); ok && p.Location.File != "" {
			f.Path, f.Line, f.Column = path, max(p.Location.Line, 0), max(p.Location.Column, 0)
		}
		found = append(found, f)
	}
	return r.locate(distinct(found))
}

package javascript

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// tools starts the programs of projects.
type tools struct{ tool.Tools }

// missing returns the report for programs, at least one, that the project uses and that are not installed.
func missing(report gate.Report, p *npm.Project, programs ...string) gate.Report {
	report.Verdict = gate.NotRun
	var lacks []gate.Missing
	for _, program := range programs {
		if _, err := os.Lstat(filepath.Join(p.Dir, "node_modules", ".bin", strings.Fields(program)[0])); err == nil {
			report.Summary = tool.Summary(
				"the project's %s is among its own files, and no program in them is started: make git ignore node_modules", program)
			return report
		}
		lacks = append(lacks, p.Lacks(program))
	}
	lacks[0].NotRun(&report)
	report.Summary = tool.Summary("%s", strings.Join(gate.Sentences(lacks), "; "))
	return report
}

// broken returns the report of an unreadable project. An invalid package.json is a fault of the tree.
func broken(report gate.Report, err error) gate.Report {
	report.Verdict, report.Summary = gate.Fail, tool.Summary("%v", err)
	report.Findings = []gate.Finding{{Path: npm.ManifestName, Line: 1, Severity: gate.SeverityError, Rule: testrun.RuleSyntax, Message: err.Error()}}
	return report
}

// conclude is tool.Conclude for reports whose findings may be warnings, which are no failure.
func conclude(report *gate.Report, result sandbox.Result, w tool.Words) {
	all := report.Findings
	if !failing(all) {
		report.Findings = nil
	}
	tool.Conclude(report, result, w)
	report.Findings = all
}

func failing(findings []gate.Finding) bool {
	return slices.ContainsFunc(findings, func(f gate.Finding) bool { return f.Severity == gate.SeverityError })
}

// files counts the files with findings.
func files(findings []gate.Finding) int {
	seen := map[string]bool{}
	for _, f := range findings {
		if f.Severity == gate.SeverityError && f.Path != "" {
			seen[f.Path] = true
		}
	}
	return len(seen)
}

// preflight searches for Node.js, and for the project's programs.
func (t tools) preflight(ctx context.Context, tree gate.Tree, programs func(p *npm.Project) []string) gate.Missing {
	p, err := npm.Open(tree)
	if err != nil {
		return gate.Missing{} // Run reports what is wrong
	}
	for _, program := range programs(p) {
		if p.Binary(program) == "" {
			return p.Lacks(program)
		}
	}
	return t.Lacks(ctx, tree, "node", "--version")
}

// Preflight searches for prettier.
func (g *formatGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return []string{"prettier"} })
}

// Preflight searches for eslint.
func (g *lintGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return []string{"eslint"} })
}

// Preflight searches for Node.js.
func (g *syntaxGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return nil })
}

// Preflight searches for tsc.
func (g *typesGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.preflight(ctx, tree, func(*npm.Project) []string { return []string{"tsc"} })
}

// Preflight searches for the test runners, and for the packages that the files of the project import.
func (g *testGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	lacks := g.tools.preflight(ctx, tree, func(p *npm.Project) (programs []string) {
		for _, s := range readScript(p).suites() {
			if s.missing {
				programs = append(programs, s.program)
			}
		}
		return programs
	})
	if p, err := npm.Open(tree); err == nil && !lacks.Is() {
		return p.LacksDependency()
	}
	return lacks
}

// versions returns the version of Node.js that runs the programs of a project. The programs are in node_modules, which is linked to
// the tree.
func (t tools) versions(ctx context.Context, tree gate.Tree) string {
	result, err := t.Runner.Run(ctx, sandbox.Command{
		Argv: []string{"node", "-p", "JSON.stringify([process.versions, process.execPath, process.config])"}, Dir: tree.Dir(), Env: t.Env, Timeout: tool.VersionsLimit,
	})
	if err != nil || result.TimedOut || result.ExitCode != 0 {
		return ""
	}
	return string(result.Stdout)
}

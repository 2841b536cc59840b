package javascript

import (
	"os"
	"path/filepath"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// tools starts the programs of projects.
type tools struct{ tool.Tools }

// missing returns the report for a program that the project uses but is not installed.
func missing(report gate.Report, p *npm.Project, program string) gate.Report {
	report.Verdict = gate.NotRun
	if _, err := os.Lstat(filepath.Join(p.Dir, "node_modules", ".bin", strings.Fields(program)[0])); err == nil {
		report.Summary = tool.Summary(
			"the project's %s is among its own files, and no program in them is started: make git ignore node_modules", program)
		return report
	}
	p.Lacks(program).NotRun(&report)
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
	for _, f := range findings {
		if f.Severity == gate.SeverityError {
			return true
		}
	}
	return false
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

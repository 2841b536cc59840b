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

// missing is the report where a program is not installed although the project wants it.
func missing(report gate.Report, p *npm.Project, program string) gate.Report {
	report.Verdict = gate.NotRun
	if _, err := os.Lstat(filepath.Join(p.Dir, "node_modules", ".bin", strings.Fields(program)[0])); err == nil {
		report.Summary = tool.Summary(
			"%s is what the project is checked with and it is among the files of the project, of which none is started: have git ignore node_modules", program)
		return report
	}
	p.Lacks(program).NotRun(&report)
	return report
}

// broken is the report of a project that cannot be read. A package.json that is none is a fault of the tree.
func broken(report gate.Report, err error) gate.Report {
	report.Verdict, report.Summary = gate.Fail, tool.Summary("%v", err)
	report.Findings = []gate.Finding{{Path: npm.ManifestName, Line: 1, Severity: gate.SeverityError, Rule: testrun.RuleSyntax, Message: err.Error()}}
	return report
}

// conclude is tool.Conclude for reports whose findings may be mere warnings, which fail nothing.
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

// files counts the files that findings are about.
func files(findings []gate.Finding) int {
	seen := map[string]bool{}
	for _, f := range findings {
		if f.Severity == gate.SeverityError && f.Path != "" {
			seen[f.Path] = true
		}
	}
	return len(seen)
}

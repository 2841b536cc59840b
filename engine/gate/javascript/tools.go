package javascript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// tools starts the programs of projects.
type tools struct{ tool.Tools }

// binary is where a program of the project is: relative to the project, in node_modules/.bin of its folder or of one above it in the
// tree. Empty: it is not installed. A program whose file is in the tree is not used: only what a link leads out to was there before
// a run, and cannot be what a model wrote to say that all is well.
func (p *project) binary(program string) string {
	modules := p.modules(program)
	if modules == "" {
		return ""
	}
	return here(filepath.Join(modules, ".bin", program))
}

// modules is the node_modules in which a program is installed, relative to the project; empty where there is none.
func (p *project) modules(program string) string {
	tree, err := filepath.EvalSymlinks(p.top)
	if err != nil {
		return ""
	}
	up := "."
	for dir := p.dir; ; dir, up = filepath.Dir(dir), filepath.Join("..", up) {
		if isInstalled(filepath.Join(dir, "node_modules", ".bin", program), tree) {
			return filepath.Join(up, "node_modules")
		}
		if dir == p.top || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// major is the major version of the package that has the name of a program; 0 where that is not known.
func (p *project) major(program string) int { return p.versionOf(program, program) }

// versionOf is the major version of the package that a program comes with; 0 where that is not known.
func (p *project) versionOf(program, of string) int {
	modules := p.modules(program)
	if modules == "" {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(p.dir, modules, of, manifestName))
	if err != nil {
		return 0
	}
	var installed struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(text, &installed) != nil {
		return 0
	}
	first, _, _ := strings.Cut(installed.Version, ".")
	n, _ := strconv.Atoi(first)
	return n
}

// isInstalled reports whether a path leads to a file outside of the tree.
func isInstalled(name, tree string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	rel, err := filepath.Rel(tree, real)
	return err != nil || !filepath.IsLocal(rel)
}

// here marks a relative path as one, so that it is not looked up on PATH.
func here(relative string) string { return "." + string(filepath.Separator) + relative }

// missing is the report where a program is not installed although the project wants it.
func missing(report gate.Report, p *project, program string) gate.Report {
	report.Verdict = gate.NotRun
	if _, err := os.Lstat(filepath.Join(p.dir, "node_modules", ".bin", strings.Fields(program)[0])); err == nil {
		report.Summary = tool.Summary(
			"%s is what the project is checked with and it is among the files of the project, of which none is started: have git ignore node_modules", program)
		return report
	}
	p.lacks(program).NotRun(&report)
	return report
}

// lacks is a program that is not installed.
func (p *project) lacks(program string) gate.Missing {
	return gate.Missing{Program: program, Install: p.installer()}
}

// broken is the report of a project that cannot be read. A package.json that is none is a fault of the tree.
func broken(report gate.Report, err error) gate.Report {
	report.Verdict, report.Summary = gate.Fail, tool.Summary("%v", err)
	report.Findings = []gate.Finding{{Path: manifestName, Line: 1, Severity: gate.SeverityError, Rule: ruleSyntax, Message: err.Error()}}
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

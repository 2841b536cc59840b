package python

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// typesGate runs the type checker that the project is configured for.
type typesGate struct{ check }

// Run checks what the settings name, else everything.
func (g *typesGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name()}
	p := inspect(tree)
	var argv []string
	switch p.checker() {
	case mypy:
		argv = mypyArguments(p)
	case pyright:
		argv = []string{p.program(pyright), "--outputjson"}
	default:
		report.Empty, report.Summary = true, "the project is configured for no type checker"
		return report
	}
	if p.bin != "" {
		flag := map[string]string{mypy: "--python-executable", pyright: "--pythonpath"}[p.checker()]
		argv = append(argv, flag, p.program(interpreter()))
	}
	result, done := g.tools.run(ctx, p, &report, attempt{tool: p.checker(), limit: g.limit, argv: argv})
	if done {
		return report
	}
	return g.judge(report, result, p, testrun.PlacesIn(tree))
}

// judge reads the output of the type checker.
func (*typesGate) judge(report gate.Report, result sandbox.Result, p project, at testrun.Places) gate.Report {
	if p.checker() == mypy {
		report.Findings, report.Executed = parseMypy(string(result.Stdout)+string(result.Stderr), at)
		if result.ExitCode == 2 && len(report.Findings) == 0 && nothingToCheck.MatchString(report.Output) {
			result.ExitCode = 0 // nothing was executed, nothing broke
		}
	} else {
		var err error
		if report.Findings, report.Executed, err = parsePyright(string(result.Stdout), at); err != nil && result.ExitCode == 0 {
			return refuse(report, err)
		}
		if m := badConfig.FindStringSubmatch(report.Output); m != nil {
			bad := at.At(m[1], 0, 0, ruleSettings, "pyright cannot read it: verify that its format is correct")
			report.Findings = append(report.Findings, at.Locate([]gate.Finding{bad})...)
		}
		if strings.Contains(report.Output, "No source files found") && report.Executed == 0 {
			result.ExitCode = 0
		}
	}
	report.Passed = clean(report.Executed, report.Findings)
	conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%s: %s", tool.Count(len(report.Findings), "finding"), firstProblem(report.Findings)),
		Passed:  fmt.Sprintf("%s checked by %s", tool.Count(report.Executed, "file"), p.checker()),
		Nothing: "no Python files to check",
	})
	return report
}

// firstProblem is the first finding that blocks, on one line.
func firstProblem(found []gate.Finding) string {
	for _, f := range found {
		if f.Blocks() {
			return tool.FirstLine(f.String())
		}
	}
	return "nothing that blocks"
}

var (
	mypyTargets    = lazyregexp.New(`(?m)^\s*(files|packages|modules)\s*=`)
	nothingToCheck = lazyregexp.New(`There are no \.py\[i\] files in directory`)
)

// mypyArguments starts mypy without its cache: that takes a file of the same size and second of change for the same, as files of two scratch trees may be.
func mypyArguments(p project) []string {
	argv := []string{
		p.program(mypy), "--show-column-numbers", "--show-error-codes", "--no-pretty", "--no-color-output", "--error-summary", "--hide-error-context",
		"--no-incremental", "--cache-dir=" + discardedCache,
	}
	if p.namesTargets() {
		return argv
	}
	return append(argv, ".")
}

// namesTargets reports whether the settings of mypy name what it checks.
func (p project) namesTargets() bool {
	for _, file := range []string{"mypy.ini", ".mypy.ini", "setup.cfg"} {
		if mypyTargets.MatchString(p.table(file, "mypy")) {
			return true
		}
	}
	var file struct {
		Tool struct {
			Mypy struct{ Files, Packages, Modules any }
		}
	}
	if toml.Unmarshal([]byte(p.text["pyproject.toml"]), &file) != nil {
		return false
	}
	set := file.Tool.Mypy
	return set.Files != nil || set.Packages != nil || set.Modules != nil
}

var (
	mypyLine = lazyregexp.New(`^(.+?\.(?:pyi?|toml|cfg|ini))(?::(\d+))?(?::(\d+))?: (error|warning|note): (.*?)(?:  \[([\w-]+)\])?$`)
	mypyDone = lazyregexp.New(`^(?:Found \d+ errors? in \d+ files?|Success: no issues found in|Success: no issues found) ?\(?(?:checked )?(\d+)? ?`)
)

// parseMypy reads mypy's lines. Columns are taken as they are: what they count in depends on mypy's version. A note belongs to the finding above it
// at the same line; a note alone is no finding.
func parseMypy(output string, p testrun.Places) (found []gate.Finding, executed int) {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := mypyDone.FindStringSubmatch(line); m != nil {
			executed, _ = strconv.Atoi(m[1])
			continue
		}
		m := mypyLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		row, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		f := p.At(m[1], row, column, mypyRule(m[6]), m[5])
		if last := len(found) - 1; m[4] == "note" {
			if last >= 0 && found[last].Path == f.Path && found[last].Line == f.Line {
				found[last].Message = tool.Trim(found[last].Message + "\n" + f.Message)
			}
			continue
		}
		if m[4] == "warning" {
			f.Severity = gate.SeverityWarning
		}
		found = append(found, f)
	}
	return p.Locate(found), executed
}

func mypyRule(code string) string {
	switch code {
	case "syntax":
		return testrun.RuleSyntax
	case "":
		return mypy
	}
	return "mypy/" + code
}

var badConfig = lazyregexp.New(`Config file "(.+?)" could not be parsed`)

// checked is the output of pyright --outputjson.
type checked struct {
	Diagnostics *[]struct {
		File     string `json:"file"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Rule     string `json:"rule"`
		Range    struct {
			Start struct {
				Line      int `json:"line"`
				Character int `json:"character"`
			} `json:"start"`
		} `json:"range"`
	} `json:"generalDiagnostics"`
	Summary struct {
		FilesAnalyzed int `json:"filesAnalyzed"`
	} `json:"summary"`
}

// parsePyright reads pyright --outputjson. A finding without a rule is one of its parser.
func parsePyright(stdout string, p testrun.Places) (found []gate.Finding, executed int, err error) {
	var all checked
	if err := json.Unmarshal([]byte(stdout[max(0, strings.IndexByte(stdout, '{')):]), &all); err != nil || all.Diagnostics == nil {
		return nil, 0, fmt.Errorf("parse pyright's report: unexpected output: %s", tool.FirstLine(stdout))
	}
	for _, d := range *all.Diagnostics {
		rule := "pyright/" + d.Rule
		if d.Rule == "" {
			rule = map[bool]string{true: testrun.RuleSyntax, false: pyright}[d.Severity == "error"]
		}
		f := p.Units(p.At(d.File, d.Range.Start.Line+1, d.Range.Start.Character+1, rule, d.Message))
		switch d.Severity {
		case "warning":
			f.Severity = gate.SeverityWarning
		case "information":
			f.Severity = gate.SeverityInfo
		}
		found = append(found, f)
	}
	return p.Locate(found), max(0, all.Summary.FilesAnalyzed), nil
}

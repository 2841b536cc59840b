package python

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
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

// judge reads what the type checker says.
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

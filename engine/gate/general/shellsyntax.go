package general

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// syntaxGate checks the syntax of each script with its shell, without executing it.
type syntaxGate struct{ tools tool.Tools }

// Name returns the gate's name.
func (*syntaxGate) Name() string { return nameSyntax }

// Stage returns the stage of linters.
func (*syntaxGate) Stage() gate.Stage { return gate.StageLint }

// Weight returns Required: everything else depends on the syntax.
func (*syntaxGate) Weight() gate.Weight { return gate.Required }

// OnlyReads returns true: with -n nothing is executed.
func (*syntaxGate) OnlyReads() bool { return true }

// Preflight searches for the shells that scripts name.
func (g *syntaxGate) Preflight(ctx context.Context, t gate.Tree) gate.Missing {
	all, _ := scripts(t) // Run reports unreadable files
	asked := map[string]bool{}
	for _, s := range all {
		if !asked[s.shell] {
			if missing := g.tools.Lacks(ctx, t, s.shell, "-c", ":"); missing.Is() {
				return missing
			}
			asked[s.shell] = true
		}
	}
	return gate.Missing{}
}

// Run checks every script.
func (g *syntaxGate) Run(ctx context.Context, t gate.Tree) gate.Report {
	report := gate.Report{Gate: nameSyntax}
	all, done := list(t, &report)
	if done {
		return report
	}
	r := tool.RootOf(t)
	var total sandbox.Result
	var output strings.Builder
	for _, s := range all {
		result, done := g.tools.Run(ctx, t, &report, limit, s.shell, "-n", "./"+s.path)
		if done {
			report.Executed, report.Findings = 0, nil
			return report
		}
		found := parseSyntax(string(result.Stderr), r)
		if result.ExitCode != 0 && len(found) == 0 {
			total.ExitCode = result.ExitCode // a failure without a readable message
		}
		report.Findings = append(report.Findings, found...)
		output.WriteString(report.Output)
		total.Truncated = total.Truncated || result.Truncated
		report.Executed++
	}
	report.Output = tool.Keep(output.String())
	return concluded(report, total, all)
}

// concluded decides the verdict. A script that its shell could not read for an unknown reason is an Error, even if other
// scripts have findings.
func concluded(report gate.Report, total sandbox.Result, all []script) gate.Report {
	tool.Locate(report.Findings, all[0].path, nil)
	report.Passed = sound(all, report.Findings)
	first := ""
	if len(report.Findings) > 0 {
		first = tool.FirstLine(report.Findings[0].String())
	}
	tool.Conclude(&report, total, tool.Words{
		Failed: fmt.Sprintf("%s in %d of %s: %s", tool.Count(len(report.Findings), "finding"), report.Executed-report.Passed, tool.Count(report.Executed, "script"), first),
		Passed: tool.Count(report.Executed, "script") + " checked", Nothing: "no shell scripts",
	})
	return report
}

// syntaxLine matches messages of bash ("x.sh: line 3: …") and other shells ("x.sh: 3: …"); bash prints its own name first if
// it gets the file by its path.
var syntaxLine = lazyregexp.New(`^(?:\S*?(?:bash|sh|dash): )?(\S.*?): (?:line )?(\d+): (.*)$`)

// parseSyntax parses the output of shells with -n. The second line with the same place is the source line, which is omitted.
func parseSyntax(stderr string, r tool.Root) []gate.Finding {
	var found []gate.Finding
	for line := range strings.Lines(stderr) {
		m := syntaxLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || strings.TrimSpace(m[3]) == "" {
			continue
		}
		path, ok := r.Rel(m[1])
		if !ok || strings.HasPrefix(m[3], "`") {
			continue
		}
		f := gate.Finding{Path: path, Severity: gate.SeverityError, Rule: "syntax", Message: r.Inert(m[3])}
		if n, err := strconv.Atoi(m[2]); err == nil {
			f.Line = n
		}
		if warning, is := strings.CutPrefix(f.Message, "warning: "); is {
			f.Severity, f.Message = gate.SeverityWarning, warning
		}
		found = append(found, f)
	}
	return found
}

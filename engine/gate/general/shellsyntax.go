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

// syntaxGate has each script read, and not executed, by the shell that it is for.
type syntaxGate struct{ tools tool.Tools }

// Name gives the gate's name.
func (*syntaxGate) Name() string { return nameSyntax }

// Stage is that of linters.
func (*syntaxGate) Stage() gate.Stage { return gate.StageLint }

// Weight is that of what everything else needs.
func (*syntaxGate) Weight() gate.Weight { return gate.Required }

// OnlyReads is true: with -n nothing is executed.
func (*syntaxGate) OnlyReads() bool { return true }

// Preflight looks for the shells that scripts name.
func (g *syntaxGate) Preflight(ctx context.Context, t gate.Tree) gate.Missing {
	all, _ := scripts(t) // Run says what cannot be read
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

// Run reads every script.
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
			total.ExitCode = result.ExitCode // one that nobody could read
		}
		report.Findings = append(report.Findings, found...)
		output.WriteString(report.Output)
		total.Truncated = total.Truncated || result.Truncated
		report.Executed++
	}
	report.Output = tool.Keep(output.String())
	return concluded(report, total, all)
}

// concluded gives the verdict. A script that could not be read by its shell for a reason that nobody knows is an Error, even
// beside others that have findings.
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

// syntaxLine is what bash ("x.sh: line 3: …") and other shells ("x.sh: 3: …") say; bash names itself before when the file is
// one that it was given by its path.
var syntaxLine = lazyregexp.New(`^(?:\S*?(?:bash|sh|dash): )?(\S.*?): (?:line )?(\d+): (.*)$`)

// parseSyntax reads what shells say with -n. The second line with the same place is the source, which is left out.
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

package rust

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/rust/builds"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// compileGate is cargo check, or cargo clippy, which adds lints. A compiler warning is not a failure; a clippy warning
// is, as for every linter.
type compileGate struct {
	cargo
	limit   time.Duration
	name    string
	program []string
	worst   gate.Severity // this and higher severities count
}

// Name returns the gate's name.
func (g *compileGate) Name() string { return g.name }

// Preflight asks for the version.
func (g *compileGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.lacks(ctx, tree, g.program[0], "--version")
}

// Stage returns the stage of linters for both: cargo check is the cheapest gate, and clippy needs the same build.
func (g *compileGate) Stage() gate.Stage {
	if g.worst == gate.SeverityError {
		return gate.StageBuild
	}
	return gate.StageLint
}

// Run checks all targets of all packages. This executes build scripts and macros of the tree.
func (g *compileGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn checks the packages that a change concerns.
func (g *compileGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.Name(), Strict: g.worst != gate.SeverityError}
	p, done := g.open(ctx, tree, scope, &report)
	if done {
		return report
	}
	digest := p.digest()
	if known, is := g.lately.holds(digest); is && g.name == nameCheck {
		return known
	}
	argv := slices.Concat(g.program, p.chosen.args, []string{"--all-targets", "--keep-going", "--message-format=json"})
	result, done := g.run(ctx, tree, p, &report, g.limit, argv...)
	if done {
		return report
	}
	report.Output = tool.Keep(rendered(string(result.Stdout)) + string(result.Stderr))
	if g.name == nameClippy && digest != "" {
		g.lately.note(digest, p.read(gate.Report{
			Gate: nameCheck, Command: report.Command, Output: report.Output, Sandbox: report.Sandbox,
		}, result, gate.SeverityError))
	}
	return p.read(report, result, g.worst)
}

// read puts the messages of a compiler into a report, down to the lowest severity that counts.
func (p project) read(report gate.Report, result sandbox.Result, worst gate.Severity) gate.Report {
	b := parseMessages(string(result.Stdout), p.root, worst)
	builds.Spare(p.target, b.others)
	report.Findings = b.findings
	if result.ExitCode != 0 && len(b.findings) == 0 {
		report.Findings = parsePlain(string(result.Stderr), p.root)
	}
	p.locate(report.Findings)
	report.Executed, report.Passed = p.count(b, report.Findings)
	if result.ExitCode == 0 && !b.finished && len(report.Findings) == 0 {
		report.Verdict, report.Summary = gate.Error, tool.Summary("%s ended without its final message", report.Gate)
		return report
	}
	tool.Conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%s in %d of %s: %s", tool.Count(len(report.Findings), "finding"), report.Executed-report.Passed, tool.Count(report.Executed, "package"), firstOf(report.Findings)),
		Passed:  tool.Count(report.Executed, "package") + " checked" + p.chosen.told(),
		Nothing: "no Rust packages to check",
	})
	return report
}

// count returns how many of the chosen packages were compiled, and how many without a finding. A dependency counts only if it is
// broken.
func (p project) count(b built, findings []gate.Finding) (executed, passed int) {
	for id := range p.packages {
		seen := b.seen[id] && p.chosen.has(id)
		if seen || b.broken[id] {
			executed++
		}
		if seen && !b.broken[id] {
			passed++
		}
	}
	if len(b.findings) == 0 && len(findings) > 0 {
		return executed, 0 // an error of the whole project
	}
	return executed, passed
}

// rendered returns the compiler's text for a terminal.
func rendered(stdout string) string {
	var out strings.Builder
	for line := range strings.Lines(stdout) {
		var m struct{ Message struct{ Rendered string } }
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &m) == nil {
			out.WriteString(m.Message.Rendered)
		}
	}
	return out.String()
}

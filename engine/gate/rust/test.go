package rust

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/rust/builds"
	"forge/engine/gate/tool"
)

// testGate runs every test: those in the code, in tests/, and in the documentation.
//
// It builds first, so that the compiler's own messages locate compile errors, and every test program is known before one runs.
type testGate struct {
	cargo
	limit time.Duration
}

// Name returns the gate's name.
func (g *testGate) Name() string { return nameTest }

// Preflight asks for the version.
func (g *testGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.lacks(ctx, tree, "cargo", "--version")
}

// Stage returns the stage of tests.
func (*testGate) Stage() gate.Stage { return gate.StageTest }

// Run builds and runs the tests of every package.
func (g *testGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn builds and runs the tests of the packages that a change concerns, or tests that run again.
func (g *testGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	return tool.KeepingTests(tree, holdsTests, func() gate.Report { return g.judge(ctx, tree, scope) })
}

func (g *testGate) judge(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.Name(), Tests: true}
	p, done := g.open(ctx, tree, scope, &report)
	if done {
		return report
	}
	report.Part = p.chosen.among > 0 || len(p.chosen.targets) > 0
	began := report.Elapsed
	result, done := g.run(ctx, tree, p, &report, g.limit, slices.Concat([]string{"cargo", "test"}, p.chosen.args, p.chosen.targets, []string{"--no-run", "--message-format=json"})...)
	if done {
		return report
	}
	b := parseMessages(string(result.Stdout), p.root, gate.SeverityError)
	if result.ExitCode != 0 || !b.finished {
		report.Output = tool.Keep(rendered(string(result.Stdout)) + string(result.Stderr))
		report.Findings = p.ofTests(p.locate(append(b.findings, parsePlain(string(result.Stderr), p.root)...)))
		if result.ExitCode == 0 {
			result.ExitCode = 1 // it printed no final message
		}
		tool.Conclude(&report, result, tool.Words{Failed: "the tests do not compile: " + firstOf(report.Findings)})
		return report
	}
	builds.Spare(p.target, b.others)
	if err := builds.PutAside(p.target); err != nil {
		report.Verdict, report.Summary = gate.Error, tool.Summary("%s: %v", report.Gate, err)
		return report
	}
	limit := max(g.limit-(report.Elapsed-began), time.Second)
	kinds := p.chosen.targets
	listed, only := g.list(ctx, tree, scope, p)
	if only {
		kinds = []string{"--tests"} // all but the examples of the documentation
	}
	argv := slices.Concat([]string{"cargo", "test"}, p.chosen.args, kinds, []string{"--no-fail-fast", "--offline", "--", "--color", "never"}, p.chosen.exactly())
	result, done = g.at(p, true).Run(ctx, tree, &report, limit, argv...)
	if done && !result.TimedOut {
		return report
	}
	s := newSuite(p, b.programs, string(result.Stdout))
	if result.TimedOut {
		return s.timedOut(report)
	}
	s.fill(&report)
	words := tool.Words{Failed: s.failed(report), Passed: s.passed(report), Nothing: s.nothing()}
	countListed(&report, &words, listed)
	tool.Conclude(&report, result, words)
	return report
}

// fill puts the results of a suite into a report.
func (s *suite) fill(report *gate.Report) {
	report.Findings = s.findings()
	for _, r := range s.runs {
		ok, failed := len(r.in("ok")), len(r.in("FAILED"))
		report.Executed += ok + failed
		report.Passed += ok
		for _, t := range r.in("ok") {
			report.PassedTests = append(report.PassedTests, r.id+" "+t.name)
			if s.project.chosen.far[r.pkg] > 0 {
				report.PassedBeyond = append(report.PassedBeyond, r.id+" "+t.name)
			}
		}
	}
	slices.Sort(report.PassedTests)
	slices.Sort(report.PassedBeyond)
}

// timedOut adds the tests that were reported as slow to the summary.
func (s *suite) timedOut(report gate.Report) gate.Report {
	var slow []string
	for _, r := range s.runs {
		if r.result == "" {
			slow = append(slow, r.slow...)
		}
	}
	if len(slow) > 0 {
		report.Summary = tool.Summary("%s; running: %s", report.Summary, strings.Join(slow, ", "))
	}
	return report
}

func (s *suite) failed(report gate.Report) string {
	tests := 0
	for _, f := range report.Findings {
		if f.Test != "" {
			tests++
		}
	}
	if others := len(report.Findings) - tests; others > 0 {
		return fmt.Sprintf("%s failed; %s outside tests: %s", tool.Count(tests, "test"), tool.Count(others, "error"), firstOf(report.Findings))
	}
	return fmt.Sprintf("%d of %s failed: %s", tests, tool.Count(report.Executed, "test"), firstOf(report.Findings))
}

func (s *suite) passed(report gate.Report) string {
	text := fmt.Sprintf("%s passed in %s", tool.Count(report.Executed, "test"), tool.Count(s.withTests(), "program"))
	if told := s.project.chosen.told(); told != "" {
		text += " of " + tool.Count(len(s.project.chosen.far), "package") + told
	}
	if n := s.ignored(); n > 0 {
		text += fmt.Sprintf(", %d ignored", n)
	}
	return text
}

func (s *suite) nothing() string {
	if n := s.ignored(); n > 0 {
		return fmt.Sprintf("no tests were executed: %s ignored", tool.Count(n, "test"))
	}
	return "no tests"
}

func (s *suite) ignored() (n int) {
	for _, r := range s.runs {
		n += len(r.in("ignored"))
	}
	return n
}

func (s *suite) withTests() (n int) {
	for _, r := range s.runs {
		if len(r.tests) > 0 {
			n++
		}
	}
	return n
}

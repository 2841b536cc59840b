package javascript

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// testGate runs the tests of a project: with each runner that its script "test" starts, with the script's arguments; without a
// known runner, as npm runs the script; without a script, with the runner that the project depends on, or node --test.
type testGate struct {
	tools tools
	limit time.Duration
	kept  string // a folder of Forge's own for what jest has transformed; empty keeps nothing
}

// Name returns the gate's name.
func (*testGate) Name() string { return nameTest }

// Stage returns the stage of tests.
func (*testGate) Stage() gate.Stage { return gate.StageTest }

var nodeTest = lazyregexp.New(`['"]node:test['"]`)

// maxSource limits how much of a file is read for its imports, in bytes.
const maxSource = 1 << 20

// speaksNodeTest reports whether a file uses the runner of Node.js; an unreadable one might.
func speaksNodeTest(p *npm.Project, name string) bool {
	text, err := p.Read(name, maxSource)
	return err != nil || nodeTest.Match(text)
}

// isNodeTest reports whether a word of a script is a file that uses the runner of Node.js, or a test file that imports such files.
func isNodeTest(p *npm.Project, name string) bool {
	name = path.Clean(name)
	text, err := p.Read(name, maxSource)
	if err != nil || nodeTest.Match(text) || !testrun.IsTest(name) {
		return err == nil && nodeTest.Match(text)
	}
	for _, m := range besideIt.FindAllSubmatch(text, maxImports) {
		inner, err := p.Read(path.Join(path.Dir(name), string(m[1])), maxSource)
		if err == nil && nodeTest.Match(inner) {
			return true
		}
	}
	return false
}

// besideIt matches imports from the folder of the file.
var besideIt = lazyregexp.New(`(?:\bfrom|\bimport|\brequire\()\s*['"](\.{1,2}/[^'"\n]+)['"]`)

// maxImports limits how many imports are followed.
const maxImports = 200

// Run runs the tests.
func (g *testGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

func (g *testGate) judge(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: nameTest, Tests: true}
	p, err := npm.Open(tree)
	if err != nil {
		return broken(report, err)
	}
	suites := readScript(p).suitesIn(scope)
	report.Part = slices.ContainsFunc(suites, func(s suite) bool { return s.part || s.idle })
	if len(suites) > 0 && !slices.ContainsFunc(suites, func(s suite) bool { return !s.idle }) {
		report.Verdict, report.Empty, report.Summary = gate.NotRun, true, "no file of tests that the change concerns"
		return report
	}
	if len(suites) == 0 {
		report.Verdict, report.Summary = gate.NotRun, tool.Summary("the script \"test\" runs no tests: %q", p.Scripts["test"])
		return report
	}
	r := tool.RootOf(tree)
	all := testrun.Results{Ended: true}
	var total sandbox.Result
	for _, s := range suites {
		if s.missing {
			return missing(report, p, s.program)
		}
		one, said, result, done := g.run(ctx, tree, p, s)
		report.Command, report.Elapsed, report.Sandbox, report.Advice = one.Command, report.Elapsed+one.Elapsed, one.Sandbox, cmp.Or(one.Advice, report.Advice)
		report.Output = tool.Keep(report.Output + r.Inert(one.Output))
		if !done {
			said.Judge(s.program, s.unexplained, result, r)
		}
		all.Add(said)
		if done {
			return stopped(p, report, one, all, r)
		}
		total.ExitCode = cmp.Or(result.ExitCode, total.ExitCode)
		total.Truncated = total.Truncated || result.Truncated
	}
	if unseen(suites, all, total) && len(p.Sources.Below(".", func(file string) bool { return testrun.HoldsTests(p.Sources, file) })) > 0 {
		report.Verdict = gate.NotRun
		report.Summary = tool.Summary("the script \"test\" ends with code 0, and which tests it executes is unknown: %q", p.Scripts["test"])
		return report
	}
	report = concluded(p, report, all, total, r)
	report.PassedBeyond = readScript(p).beyond(report.PassedTests, scope)
	return report
}

// unseen reports whether passing suites may have executed no test.
func unseen(suites []suite, all testrun.Results, total sandbox.Result) bool {
	return total.ExitCode == 0 && len(all.Tests) == 0 && len(all.Beside) == 0 && slices.ContainsFunc(suites, func(s suite) bool { return s.witnessed })
}

// run runs one suite. done means that the verdict of its report is final.
func (g *testGate) run(ctx context.Context, tree gate.Tree, p *npm.Project, s suite) (report gate.Report, said testrun.Results, result sandbox.Result, done bool) {
	report.Gate = nameTest
	sealed, err := testrun.NewSeal()
	defer sealed.Remove()
	if err != nil {
		return broken(report, err), said, result, true
	}
	ctx = tool.AllowWritesToLinked(tool.Sharing(ctx, sealed.Dir())) // runners keep files next to themselves, such as Vitest for its tests of types
	beside, done := g.make(ctx, tree, p, s, &report)
	if done {
		return report, said, result, true
	}
	t := g.tools
	argv, told := sealed.Placed(s.argv)
	if s.program == jest {
		ctx, argv = g.forJest(ctx, tree, p, &t, argv)
	}
	t.Env, t.Stdin = append(slices.Clip(t.Env), s.env...), sealed.Key
	if s.witnessed || s.unsigned {
		t.Env, t.Stdin = sealed.Witnessed(t.Env, s.witnessed), ""
	}
	result, done = t.Run(ctx, tree, &report, g.limit, argv...)
	report.Command, report.Output = told, testrun.SealedLine.ReplaceAllString(report.Output, "")
	stdout, r := string(result.Stdout), tool.RootOf(tree)
	said = s.parse(stdout+reportFile(p, stdout), string(result.Stderr), r)
	s.doubt(sealed, &said, stdout, r)
	if s.witnessed {
		done = done || notFound(result, p, &report)
		said = testrun.Unread(p.Sources, s.program, result, sealed.Seen(p.Sources, r), r)
	}
	said.Beside = append(beside, said.Beside...)
	return report, said, result, done
}

// concluded returns the report of all suites.
func concluded(p *npm.Project, report gate.Report, all testrun.Results, total sandbox.Result, r tool.Root) gate.Report {
	all.Settle()
	all.Fill(&report, r)
	locate(p, report.Findings)
	testrun.InBytes(p.Sources, report.Findings)
	if all.Ended && len(all.Tests) == all.Count(testrun.Skipped) && len(report.Findings) == 0 && !total.Truncated {
		total.ExitCode = 0 // without tests, some runners fail and some do not
	}
	tool.Conclude(&report, total, all.Words(report))
	if report.Verdict == gate.Pass {
		report.Summary = tool.Summary("%s", readScript(p).andLeftOut(report.Summary))
	}
	return report
}

var writtenReport = lazyregexp.New(`(?m)^JSON report written to ([^\n]+)$`)

// reportFile returns the report that Vitest writes into a file since version 5, if its output mentions it.
func reportFile(p *npm.Project, stdout string) string {
	m := writtenReport.FindStringSubmatch(stdout)
	if m == nil {
		return ""
	}
	name := strings.TrimSpace(m[1])
	if rel, err := filepath.Rel(p.Dir, name); err == nil && filepath.IsAbs(name) {
		name = rel
	}
	text, err := p.Read(filepath.ToSlash(name), tool.MaxOutput)
	if err != nil {
		return ""
	}
	return "\n" + string(text)
}

// stopped returns the report of tests that could not start, or did not end in time; it names those that were running.
func stopped(p *npm.Project, report, one gate.Report, all testrun.Results, r tool.Root) gate.Report {
	report.Verdict, report.Summary, report.Missing, report.Install = one.Verdict, one.Summary, one.Missing, one.Install
	if one.Verdict != gate.Error {
		return report
	}
	all.Beside = nil
	all.Fill(&report, r)
	locate(p, report.Findings)
	running := all.Count(testrun.Unfinished)
	for _, t := range all.Tests {
		if t.State == testrun.Unfinished {
			report.Summary = tool.Summary("%s; %s did not end, the first: %s", report.Summary, tool.Count(running, "test"), t.Name())
			break
		}
	}
	return report
}

// Red reports whether new tests were seen to fail, as they must before there is an implementation. before and after are the suite's
// reports without and with them. Red is a test that fails now and did not before, or a test file that cannot be loaded because it
// names missing code. Everything else is not red, for the reason that is returned: nothing failed, nothing ran, the gate broke, a
// test has a syntax error, or code outside of the tests can no longer be loaded.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge reports whether a new finding is red, or returns the fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch {
	case f.Test == "" && f.Rule == testrun.RuleLoad && testrun.IsTest(f.Path) && isOwn.MatchString(f.Message):
		return false, tool.Unsound(f)
	case f.Test != "" || f.Rule == testrun.RuleLoad && testrun.IsTest(f.Path):
		return true, ""
	case f.Rule == testrun.RuleTest:
		return false, ""
	case testrun.IsTest(f.Path):
		return false, "a test cannot be read: " + said(f)
	}
	return false, "the code outside the tests cannot be loaded: " + said(f)
}

// isOwn matches errors of the TypeScript compiler that no implementation changes: syntax, and what nothing uses.
var isOwn = lazyregexp.New(`\bTS(?:1\d{3}|6133|6138|6192|6196|6198|6199)\b`)

func said(f gate.Finding) string {
	return gate.Finding{Path: f.Path, Line: f.Line, Message: tool.FirstLine(f.Message)}.String()
}

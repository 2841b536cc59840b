package javascript

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// testGate runs the tests of a project: by each runner that its script "test" starts, with the script's arguments; where the script
// starts none that is known, as npm runs it; without a script by the runner that the project depends on, or else by node --test.
type testGate struct {
	tools tools
	limit time.Duration
}

// Name gives the gate's name.
func (*testGate) Name() string { return nameTest }

// Stage is that of tests.
func (*testGate) Stage() gate.Stage { return gate.StageTest }

var nodeTest = lazyregexp.New(`['"]node:test['"]`)

// maxSource is how much of a file is looked at to see what it imports, in bytes.
const maxSource = 1 << 20

// speaksNodeTest reports whether a file uses the runner of Node.js; one that cannot be read might.
func (p *project) speaksNodeTest(name string) bool {
	text, err := p.read(name, maxSource)
	return err != nil || nodeTest.Match(text)
}

// isNodeTest reports whether a word of a script is a file that uses the runner of Node.js, or a file of tests that imports such files.
func (p *project) isNodeTest(name string) bool {
	name = path.Clean(name)
	text, err := p.read(name, maxSource)
	if err != nil || nodeTest.Match(text) || !IsTest(name) {
		return err == nil && nodeTest.Match(text)
	}
	for _, m := range besideIt.FindAllSubmatch(text, maxImports) {
		inner, err := p.read(path.Join(path.Dir(name), string(m[1])), maxSource)
		if err == nil && nodeTest.Match(inner) {
			return true
		}
	}
	return false
}

// besideIt is what a file imports from the folder that it is in.
var besideIt = lazyregexp.New(`(?:\bfrom|\bimport|\brequire\()\s*['"](\.{1,2}/[^'"\n]+)['"]`)

// maxImports is how many imports are followed.
const maxImports = 200

// Run runs the tests.
func (g *testGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

func (g *testGate) judge(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: nameTest, Tests: true}
	p, err := open(tree)
	if err != nil {
		return broken(report, err)
	}
	suites := p.suitesIn(scope)
	report.Part = slices.ContainsFunc(suites, func(s suite) bool { return s.part })
	if len(suites) == 0 {
		report.Verdict, report.Summary = gate.NotRun, tool.Summary("the script \"test\" runs no tests: %q", p.Scripts["test"])
		return report
	}
	r := tool.RootOf(tree)
	all := results{ended: true}
	var total sandbox.Result
	for _, s := range suites {
		if s.missing {
			return missing(report, p, s.program)
		}
		one, said, result, done := g.run(ctx, tree, p, s)
		report.Command, report.Elapsed = one.Command, report.Elapsed+one.Elapsed
		report.Output = tool.Keep(report.Output + r.Inert(one.Output))
		if !done {
			said.judge(s, result, r)
		}
		all.add(said)
		if done {
			return p.stopped(report, one, all, r)
		}
		total.ExitCode = cmp.Or(result.ExitCode, total.ExitCode)
		total.Truncated = total.Truncated || result.Truncated
	}
	if unseen(suites, all, total) && len(p.sources.Below(".", func(file string) bool { return holdsTests(p.sources, file) })) > 0 {
		report.Verdict = gate.NotRun
		report.Summary = tool.Summary("the script \"test\" ends with code 0, and which tests it executes cannot be told: %q", p.Scripts["test"])
		return report
	}
	return p.concluded(report, all, total, r)
}

// unseen reports whether suites pass of which nobody can tell whether they have executed a test.
func unseen(suites []suite, all results, total sandbox.Result) bool {
	return total.ExitCode == 0 && len(all.tests) == 0 && len(all.beside) == 0 && slices.ContainsFunc(suites, func(s suite) bool { return s.witnessed })
}

// run starts one suite. done means that the verdict of its report stands.
func (g *testGate) run(ctx context.Context, tree gate.Tree, p *project, s suite) (report gate.Report, said results, result sandbox.Result, done bool) {
	report.Gate = nameTest
	sealed, err := newSeal()
	defer sealed.remove()
	if err != nil {
		return broken(report, err), said, result, true
	}
	beside, done := g.make(ctx, tree, p, s, &report)
	if done {
		return report, said, result, true
	}
	t := g.tools
	t.Env, t.Stdin = append(slices.Clip(t.Env), s.env...), sealed.key
	if s.witnessed || s.unsigned {
		t.Env, t.Stdin = sealed.witnessed(t.Env, s.witnessed), ""
	}
	argv, told := sealed.placed(s.argv)
	result, done = t.Run(ctx, tree, &report, g.limit, argv...)
	report.Command, report.Output = told, sealedLine.ReplaceAllString(report.Output, "")
	stdout, r := string(result.Stdout), tool.RootOf(tree)
	said = s.parse(stdout+p.reportFile(stdout), string(result.Stderr), r)
	s.doubt(sealed, &said, stdout, r)
	if s.witnessed {
		done = done || notFound(result, p, &report)
		said = p.witnessed(s, result, sealed.seen(p, r), r)
	}
	said.beside = append(beside, said.beside...)
	return report, said, result, done
}

// concluded is the report of all suites.
func (p *project) concluded(report gate.Report, all results, total sandbox.Result, r tool.Root) gate.Report {
	all.settle()
	all.fill(&report, r)
	p.locate(report.Findings)
	p.inBytes(report.Findings)
	if all.ended && len(all.tests) == all.count(skipped) && len(report.Findings) == 0 && !total.Truncated {
		total.ExitCode = 0 // without tests, some runners fail and some do not
	}
	tool.Conclude(&report, total, all.words(report))
	if report.Verdict == gate.Pass {
		report.Summary = tool.Summary("%s", p.andLeftOut(report.Summary))
	}
	return report
}

var writtenReport = lazyregexp.New(`(?m)^JSON report written to ([^\n]+)$`)

// reportFile is the report that Vitest writes into a file since version 5, if it says that it has.
func (p *project) reportFile(stdout string) string {
	m := writtenReport.FindStringSubmatch(stdout)
	if m == nil {
		return ""
	}
	name := strings.TrimSpace(m[1])
	if rel, err := filepath.Rel(p.dir, name); err == nil && filepath.IsAbs(name) {
		name = rel
	}
	text, err := p.read(filepath.ToSlash(name), tool.MaxOutput)
	if err != nil {
		return ""
	}
	return "\n" + string(text)
}

// stopped is the report of tests that could not be started, or did not end in time: those that were running are named.
func (p *project) stopped(report, one gate.Report, all results, r tool.Root) gate.Report {
	report.Verdict, report.Summary, report.Missing, report.Install = one.Verdict, one.Summary, one.Missing, one.Install
	if one.Verdict != gate.Error {
		return report
	}
	all.beside = nil
	all.fill(&report, r)
	p.locate(report.Findings)
	running := all.count(unfinished)
	for _, t := range all.tests {
		if t.state == unfinished {
			report.Summary = tool.Summary("%s; %s did not end, the first: %s", report.Summary, tool.Count(running, "test"), t.name())
			break
		}
	}
	return report
}

var (
	noTests = lazyregexp.New(`(?m)^(No tests? files? found|No tests found, exiting|Error: No test files found)`)
	// unmatched is what Mocha says of a pattern without files, before it says what is wrong with those of another one.
	unmatched = lazyregexp.New(`(?m)^Warning: Cannot find any files matching pattern [^\n]*\n`)
	// configured is what runners say when it is the project's settings that they cannot read.
	configured = lazyregexp.New(`(?i)failed to load config|Startup Error|Validation Error|error reading.*config|config file`)
)

// judge decides what it means that a runner ended as it did.
func (s *results) judge(of suite, result sandbox.Result, r tool.Root) {
	stderr := unmatched.ReplaceAllString(string(result.Stderr), "")
	switch {
	case s.ended && result.ExitCode != 0 && of.unexplained && len(s.beside) == 0 && s.count(failed, unfinished) == 0 && s.count(passed) > 0:
		s.beside = append(s.beside, place{}.finding(ruleTest, of.program+
			" failed although no test did: something went wrong outside of tests, such as a promise that was rejected while nobody waited for it"))
	case s.ended || len(s.beside) > 0:
	case result.ExitCode == 0 && !result.Truncated:
		s.beside = append(s.beside, place{}.finding(ruleTest,
			fmt.Sprintf("%s ended with code 0 before it had said what became of the tests: something ends the process, such as process.exit", of.program)))
	case noTests.MatchString(stderr):
		s.ended = true
	default:
		s.crashed(stderr, r)
	}
}

// crashed reads why a runner could not even begin, if that is a place in the tree; else the gate is an Error.
func (s *results) crashed(stderr string, r tool.Root) {
	if where, ok := syntaxOf(stderr, r); ok {
		s.beside = append(s.beside, where.finding(ruleSyntax, message(stderr, r)))
	} else if where, ok := frameOf(stderr, r); ok {
		rule := ruleLoad
		if configured.MatchString(stderr) {
			rule = ruleConfig
		}
		s.beside = append(s.beside, where.finding(rule, message(stderr, r)))
	}
}

package golang

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/golang/testtext"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// testGate runs every test. go vet's part of go test is left to the vet gate, so that one finding is
// reported once and does not keep the tests from running.
type testGate struct {
	common
	further time.Duration // for packages that only import what has changed, together
}

const nameTest = "go test"

func newTest(t tools, further time.Duration) *testGate {
	return &testGate{common{name: nameTest, stage: gate.StageTest, tools: t, limit: testLimit}, further}
}

// Run runs the tests of every package.
func (g *testGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn runs the tests of packages that have changed, or of those that import them, or whose tests do.
func (g *testGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	s, alone := selection{}, false
	if len(scope.Only) > 0 {
		s, alone = g.tools.alone(ctx, tree, scope)
	}
	if scope.Only = nil; !alone {
		s = g.tools.selected(ctx, tree, scope, wantTests)
		s.names = scope.Named
	}
	s.uncached = scope.Uncached
	if s.none() {
		return gate.Unconcerned(g.Name())
	}
	if len(s.packages) > 0 && !slices.ContainsFunc(s.packages, mayRunTests) {
		return gate.Report{Gate: g.Name(), Verdict: gate.NotRun, Tests: true, Empty: true, Part: s.part(), Summary: (&suite{}).nothingSummary()}
	}
	return tool.KeepingTests(tree, func(_ *tool.Sources, file string) bool { return strings.HasSuffix(file, "_test.go") }, func() gate.Report { return g.judge(ctx, tree, s) })
}

func (g *testGate) judge(ctx context.Context, tree gate.Tree, s selection) gate.Report {
	report := gate.Report{Gate: g.Name(), Tests: true}
	witnesses, err := addWitnesses(tree.Dir(), s.packages)
	defer witnesses.remove()
	if err != nil {
		report.Verdict, report.Summary = gate.Error, tool.Summary("%v", err)
		return report
	}
	ctx = tool.Sharing(ctx, witnesses.dir)
	first, rest := s.split(func(p listed) bool { return p.tests != "" })
	argv := []string{"go", "test", "-buildvcs=false", "-vet=off", "-fullpath", "-json"}
	options := slices.Concat(argv, s.arguments(witnesses.names), []string{"-overlay=" + witnesses.overlay()})
	result, done := g.tools.run(ctx, tree, &report, g.limit, slices.Concat(options, s.tested(first))...)
	report.Command = slices.Concat(argv, s.arguments(map[string]string{}), s.args) // what a user would run
	if !done {
		built, _ := g.tools.built.Of(moduleOf(tree), s.state)
		limits := further{all: g.further - built.spent, first: g.further, each: g.limit}
		result, _ = g.tools.runFurther(ctx, tree, &report, limits, options, built.compilable(s.packages, rest), result)
	}
	suite := parseEvents(string(result.Stdout))
	s.left = suite.forget(rest)
	s.reached = len(slices.Concat(rest...)) - s.left
	report.Part = s.part()
	witnesses.collect(suite)
	if len(s.names) == 0 {
		suite.expect(s.packages)
	}
	report.Output = tool.Keep(suite.output() + string(result.Stderr))
	if done && !result.TimedOut {
		return report
	}
	r := placesIn(tree, s.packages)
	report.Findings = suite.faults(result, s.left == 0, r)
	report.Executed, report.Passed, _ = suite.counts()
	report.PassedTests = suite.held(func(string) bool { return true })
	report.PassedBeyond, report.Unreached, report.Notice = suite.held(func(path string) bool { return s.far[path] > 0 }), s.left, s.unreached()
	if result.TimedOut {
		return timedOut(report, suite)
	}
	if len(r.dirs) == 0 && len(suite.packages) == 0 && len(report.Findings) == 0 && strings.Contains(string(result.Stderr), "no packages to test") {
		result.ExitCode = 0 // go test reports that as a failure
	}
	conclude(&report, result, suite.failedSummary(report), suite.passedSummary()+s.describe(), suite.nothingSummary())
	return report
}

// timedOut adds to the verdict which tests were running; they are its findings.
func timedOut(report gate.Report, s *suite) gate.Report {
	var running []string
	for _, p := range s.packages {
		for _, test := range p.unfinished() {
			running = append(running, test.name)
		}
	}
	if len(running) > 0 {
		report.Summary += "; running: " + strings.Join(running, ", ")
	}
	report.Summary = tool.Summary("%s", report.Summary)
	return report
}

func (s *suite) failedSummary(report gate.Report) string {
	failed := 0
	for _, f := range report.Findings {
		if f.Test != "" {
			failed++
		}
	}
	if others := len(report.Findings) - failed; others > 0 {
		return fmt.Sprintf("%s failed; %s outside tests: %s", tool.Count(failed, "test"), tool.Count(others, "error"), firstProblem(report.Findings))
	}
	return fmt.Sprintf("%d of %s failed: %s", failed, tool.Count(report.Executed, "test"), firstProblem(report.Findings))
}

func firstProblem(findings []gate.Finding) string {
	for _, f := range findings {
		if f.Test != "" {
			return tool.FirstLine(f.String())
		}
	}
	if len(findings) == 0 {
		return ""
	}
	return tool.FirstLine(findings[0].String())
}

func (s *suite) passedSummary() string {
	executed, _, skipped := s.counts()
	text := fmt.Sprintf("%s passed in %s", tool.Count(executed, "test"), tool.Count(s.packagesWithTests(), "package"))
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	return text
}

func (s *suite) nothingSummary() string {
	if _, _, n := s.counts(); n > 0 {
		return fmt.Sprintf("no tests were executed: %s skipped", tool.Count(n, "test"))
	}
	return "no tests"
}

// maxArguments is how long a list of packages may be to be given to a program, in bytes: Windows takes 32 KiB.
const maxArguments = 24_000

// tested leaves out of what go test is given first the packages without tests: it would only compile them, which go build does. Where that leaves
// nothing, or more than can be given, all stay.
func (s selection) tested(first []string) []string {
	var with []string
	for _, p := range s.packages {
		if mayHaveTests(p) && s.far[p.path] == 0 {
			with = append(with, p.path)
		}
	}
	outside := func(path string) bool { return strings.HasPrefix(path, "_") || strings.HasPrefix(path, ".") } // of modules: folders, not paths
	if len(with) == 0 || len(with) == len(s.packages) || len(strings.Join(with, " ")) > maxArguments || slices.ContainsFunc(with, outside) {
		return first
	}
	return with
}

// mayHaveTests reports whether there is a file of tests in the folder of a package, compiled here or not, or the folder cannot be read.
func mayHaveTests(p listed) bool { return hasTestFile(p, func(string) bool { return true }) }

// mayRunTests reports whether go test may execute something in a package, which takes more than benchmarks.
func mayRunTests(p listed) bool {
	return hasTestFile(p, func(file string) bool {
		text, err := os.ReadFile(file)
		return err != nil || startsTest.Match(text) || !startsBenchmark.Match(text)
	})
}

// hasTestFile reports whether the folder of a package has a file of tests of some kind, or cannot be read.
func hasTestFile(p listed, is func(file string) bool) bool {
	entries, err := os.ReadDir(p.dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), "_test.go") && is(filepath.Join(p.dir, e.Name()))
	})
}

// startsTest matches where a test, an example or a fuzz test is declared, and startsBenchmark where a benchmark is.
var (
	startsTest      = lazyregexp.New(`func\s+(?:Test|Example|Fuzz)`)
	startsBenchmark = lazyregexp.New(`func\s+Benchmark`)
)

// expect notes which tests of packages that passed were never started. Code that is tested can choose among its tests, by the flags of
// package testing or by the variable GOFLAGS in a file of the user's, and the witness would run nevertheless.
func (s *suite) expect(packages []listed) {
	for _, p := range packages {
		run := s.byPath[p.path]
		if run == nil || run.state != "pass" || run.witnessed != witnessRan {
			continue
		}
		for _, file := range p.files {
			for _, name := range declared(filepath.Join(p.dir, file)) {
				if s.byName[[2]string{p.path, name}] == nil {
					run.left = append(run.left, name)
				}
			}
		}
	}
}

// declared are the tests of a file, by their names. A file that cannot be parsed has none: it was not compiled either.
func declared(file string) (names []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range parsed.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && testtext.IsTestName(f.Name.Name) && f.Name.Name != "TestMain" {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

package javascript

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/fstest"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

var fuzzRoot = tool.RootAt("/tree")

// fuzzWith seeds a target with what a tool was recorded to say.
func fuzzWith(f *testing.F, tool string, check func(stdout, stderr string)) {
	_, _, all := load(f, tool)
	for _, r := range all {
		f.Add(r.stdout, r.stderr)
	}
	f.Fuzz(func(_ *testing.T, stdout, stderr string) { check(stdout, stderr) })
}

// mustBeFindings checks what holds for all findings once they are located, in a project of which nothing is known.
func mustBeFindings(findings []gate.Finding) {
	locate(&npm.Project{Sources: tool.SourcesIn(fstest.MapFS{})}, findings)
	for _, f := range findings {
		if !filepath.IsLocal(f.Path) {
			panic("a finding outside the tree: " + f.Path)
		}
		if f.Rule == "" || f.Line < 1 || f.Column < 0 || f.Severity == 0 {
			panic(fmt.Sprintf("a finding that is none: %+v", f))
		}
	}
}

// mustBeResults checks what holds for whatever a runner of tests says.
func mustBeResults(s testrun.Results) {
	s.Settle()
	report := gate.Report{}
	s.Fill(&report, fuzzRoot)
	mustBeFindings(report.Findings)
	if report.Passed > report.Executed || len(report.PassedTests) > report.Passed || report.Executed+s.Count(testrun.Skipped) != len(s.Tests) {
		panic(fmt.Sprintf("%d executed, %d passed, %d held, %d skipped of %d", report.Executed, report.Passed, len(report.PassedTests), s.Count(testrun.Skipped), len(s.Tests)))
	}
}

func FuzzTypes(f *testing.F) {
	fuzzWith(f, "tsc", func(stdout, stderr string) { mustBeFindings(parseTypes(stdout+stderr, fuzzRoot).findings) })
}

func FuzzESLint(f *testing.F) {
	p := &npm.Project{Files: []string{"eslint.config.js"}, Sources: tool.SourcesIn(fstest.MapFS{})}
	fuzzWith(f, "eslint", func(stdout, stderr string) {
		l, _ := parseESLint(stdout, fuzzRoot)
		mustBeFindings(l.findings)
		for exit := range 3 {
			report := unlinted(p, gate.Report{}, exit, stderr, fuzzRoot)
			mustBeFindings(report.Findings)
			if report.Verdict == gate.Pass {
				panic("an eslint that reported nothing passed")
			}
		}
	})
}

func FuzzPrettier(f *testing.F) {
	fuzzWith(f, "prettier", func(stdout, stderr string) { mustBeFindings(parsePrettier(stderr+stdout, fuzzRoot)) })
}

func FuzzJest(f *testing.F) {
	fuzzWith(f, "jest", func(stdout, stderr string) { mustBeResults(testrun.ParseJest(stdout, stderr, fuzzRoot)) })
}

func FuzzVitest(f *testing.F) {
	fuzzWith(f, "vitest", func(stdout, stderr string) {
		s := testrun.ParseJest(stdout, stderr, fuzzRoot)
		s.Judge("vitest", true, sandbox.Result{ExitCode: 1, Stderr: []byte(stderr)}, fuzzRoot)
		mustBeResults(s)
	})
}

func FuzzMocha(f *testing.F) {
	fuzzWith(f, "mocha", func(stdout, stderr string) { mustBeResults(testrun.ParseMocha(stdout, stderr, fuzzRoot)) })
}

func FuzzNode(f *testing.F) {
	fuzzWith(f, "node", func(stdout, _ string) {
		mustBeResults(testrun.ParseNode(stdout, fuzzRoot, func(file string) bool { return len(file)%2 == 0 }))
	})
}

func FuzzSyntax(f *testing.F) {
	f.Add(`{"f":"./a.js","k":"module","m":"no"}`+"\n"+`{"n":1}`, "[stdin]:2\nexport const b = ;\n                 ^\n\nSyntaxError: Unexpected token ';'\n")
	f.Fuzz(func(_ *testing.T, stdout, stderr string) {
		found, checked := parseCompileAll(stdout, fuzzRoot)
		line, column, _ := parseCheck(stderr)
		if checked < 0 || line < 0 || column < 0 {
			panic("a number below 0")
		}
		for _, u := range found {
			mustBeFindings([]gate.Finding{testrun.Place{Path: u.Path, Line: 1}.Finding(testrun.RuleSyntax, u.Message)})
		}
	})
}

// No call has more words than its script, with any scripts.
func FuzzScript(f *testing.F) {
	f.Add("NODE_ENV=test c8 mocha 'a b' && jest \"x\" | tee; node --test *.js")
	f.Add("npm run test && run-s a b")
	f.Fuzz(func(_ *testing.T, script string) {
		m := npm.Manifest{Scripts: npm.Texts{"test": script, "a": script, "b": "mocha"}}
		for _, c := range m.Runs("test", "mocha", "jest", "node") {
			if len(c.Args) > len(script) {
				panic("more words than letters")
			}
		}
	})
}

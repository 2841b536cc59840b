package python

import (
	"path/filepath"
	"testing"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/sandbox"
)

// fuzz seeds a target with one file of each recording of a tool. Whatever a tool says, no finding is outside of the tree or none at all.
func fuzz(f *testing.F, name, file string, parse func(text string, p testrun.Places) ([]gate.Finding, int)) {
	all := load(f, filepath.Join("testdata", name+".txtar"))
	for _, r := range all {
		f.Add(r.file(file))
	}
	p := all[0].places()
	f.Fuzz(func(t *testing.T, text string) {
		found, executed := parse(text, p)
		for _, finding := range found {
			if !filepath.IsLocal(finding.Path) {
				t.Fatalf("a finding outside of the tree: %q", finding.Path)
			}
			if finding.Rule == "" || finding.Message == "" || finding.Line < 1 || finding.Column < 0 || finding.Severity == 0 {
				t.Fatalf("a finding that is none: %+v", finding)
			}
		}
		if executed < 0 {
			t.Fatalf("%d were looked at", executed)
		}
	})
}

func FuzzRuff(f *testing.F) {
	fuzz(f, "ruff-check", "stdout", func(text string, p testrun.Places) ([]gate.Finding, int) {
		found, _ := parseRuff(text, p)
		return append(found, settingsError(text, p)...), listed(text, p.Root)
	})
}

func FuzzRuffSettings(f *testing.F) {
	fuzz(f, "ruff-check", "stderr", func(text string, p testrun.Places) ([]gate.Finding, int) { return settingsError(text, p), 0 })
}

func FuzzFormat(f *testing.F) {
	fuzz(f, "ruff-format", "stdout", func(text string, p testrun.Places) ([]gate.Finding, int) { return parseFormat(text, text, ruff, p) })
}

func FuzzFormatErrors(f *testing.F) {
	fuzz(f, "black", "stderr", func(text string, p testrun.Places) ([]gate.Finding, int) { return parseFormat(text, text, black, p) })
}

func FuzzFlake8(f *testing.F) { fuzz(f, "flake8", "stdout", parseFlake8) }

func FuzzCompile(f *testing.F) { fuzz(f, "compileall", "stdout", parseCompile) }

func FuzzMypy(f *testing.F) { fuzz(f, "mypy", "stdout", parseMypy) }

func FuzzPyright(f *testing.F) {
	fuzz(f, "pyright", "stdout", func(text string, p testrun.Places) ([]gate.Finding, int) {
		found, executed, _ := parsePyright(text, p)
		return found, executed
	})
}

func FuzzBandit(f *testing.F) {
	fuzz(f, "bandit", "stdout", func(text string, p testrun.Places) ([]gate.Finding, int) {
		found, executed, _ := parseBandit(text, p)
		return found, executed
	})
}

func FuzzRadon(f *testing.F) {
	fuzz(f, "radon", "stdout", func(text string, p testrun.Places) ([]gate.Finding, int) {
		m, _ := parseRadon(text, p)
		return m.found, m.executed
	})
}

// FuzzSession is a run of tests of which anything may have been said: it counts no more passed tests than executed ones, and one that
// failed, or did not finish, does not pass.
func FuzzSession(f *testing.F) {
	all := load(f, filepath.Join("testdata", "pytest.txtar"))
	for _, r := range all {
		f.Add(r.file("junit.xml"), r.file("witness"), r.file("stdout")+r.file("stderr"), r.code())
	}
	p := all[0].places()
	f.Fuzz(func(t *testing.T, junit, witness, output string, code int) {
		s := session{Witness: testrun.ParseWitness(witness), places: p, output: output, result: sandbox.Result{ExitCode: code}}
		s.tests, s.internal, s.unread = testrun.ParseJunit(junit)
		if s.Runner == "unittest" {
			s.tests, s.unread = s.UnittestRuns(), nil
		}
		report := s.report(gate.Report{Gate: nameTest, Tests: true, Output: output})
		if report.Passed > report.Executed || len(report.PassedTests) != report.Passed {
			t.Fatalf("%d of %d passed, held %q", report.Passed, report.Executed, report.PassedTests)
		}
		if report.Verdict == gate.Pass && (code != 0 || !s.Exited || s.Code != 0 || report.Passed != report.Executed || report.Executed == 0) {
			t.Fatalf("a pass that is none: code %d, %+v, %+v", code, s.Witness, report)
		}
		for _, finding := range report.Findings {
			if !filepath.IsLocal(finding.Path) || finding.Rule == "" || finding.Message == "" || finding.Line < 1 {
				t.Fatalf("a finding that is none: %+v", finding)
			}
		}
	})
}

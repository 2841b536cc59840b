package judge

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/patch"
)

// Promises are the requirements on tests: which a change may touch, which it must make pass, and which it must not lose. It owns nothing.
type Promises struct {
	*work.Module
	gates   *Gates
	Checker *Checker
	refused refusal
}

// NewPromises returns the requirements of a module whose change a checker judges.
func NewPromises(u *work.Module, c *Checker) *Promises {
	return &Promises{Module: u, gates: c.gates, Checker: c}
}

// Rules returns what a change of the module may do to the files that judge it.
func (ps *Promises) Rules() integrity.Rules {
	return integrity.Rules{Suites: ps.Run.Project.Suites, Names: ps.isAbout, Wanted: ps.wanted}
}

// wanted returns a test in a text that failed before the run and is named by the task; "" if there is none.
func (ps *Promises) wanted(text string) string {
	for _, s := range ps.Run.Project.Suites {
		for _, test := range ps.wantedOf(s) {
			if slices.ContainsFunc(integrity.Called(test), func(name string) bool { return strings.Contains(text, name) }) {
				return test
			}
		}
	}
	return ""
}

// wantedOf returns the tests of a suite that failed before the run and that the module must make pass.
func (ps *Promises) wantedOf(s integrity.Suite) []string {
	promised := ps.Job.Promised()
	return slices.DeleteFunc(integrity.Failing(ps.Checker.before(s.Gate).Findings), func(test string) bool { return !integrity.Mentioned(test, promised) })
}

// isAbout reports whether the task, or an answer of the user to a model, names a file: a change of it is not rejected at once.
func (ps *Promises) isAbout(name string) bool {
	return ps.asksFor(name) || NamesFile(ps.Findings.Words, name)
}

// asksFor reports whether the task names a file, so that no question is asked about its tests. An answer may name one that is to stay as it is.
func (ps *Promises) asksFor(name string) bool {
	return name == ps.Run.Task.Focus.Path || NamesFile(ps.Run.Task.Text, name)
}

// NamesFile reports whether a text contains the name of a file.
func NamesFile(text, file string) bool {
	return regexp.MustCompile(`(^|[^\w.-])` + regexp.QuoteMeta(path.Base(file)) + `($|[^\w-])`).MatchString(text)
}

// Failing reports whether the folder has a test that failed before the run.
func (ps *Promises) Failing() bool {
	return slices.ContainsFunc(ps.Run.Project.Suites, func(s integrity.Suite) bool { return len(integrity.Failing(ps.Checker.before(s.Gate).Findings)) > 0 })
}

// FailedBefore returns what fails in the suites without the change, a line each: packages that are not installed, and the findings of the
// baseline once it is known.
func (ps *Promises) FailedBefore() (lines []string) {
	for _, s := range ps.Run.Project.Suites {
		for _, l := range ps.Run.Partial {
			if l.Gate == s.Gate {
				lines = append(lines, fmt.Sprintf("%s: %s is not installed: files of tests that need it cannot be loaded", s.Gate, l.Program))
			}
		}
		if !ps.gates.Joined() {
			continue
		}
		for i, f := range ps.Checker.before(s.Gate).Findings {
			if i == maxFailedBefore {
				lines = append(lines, fmt.Sprintf("%s: … and %d more", s.Gate, len(ps.Checker.before(s.Gate).Findings)-i))
				break
			}
			said, _, _ := strings.Cut(f.String(), "\n")
			lines = append(lines, s.Gate+": "+work.Shorten(said, maxFailure))
		}
	}
	return lines
}

// The limits of FailedBefore: findings of a suite, and bytes of each.
const maxFailedBefore, maxFailure = 5, 240

// promise returns what a passing suite must show. A part of a plan is responsible for its own tests, and keeps those of earlier parts.
func (ps *Promises) promise(s integrity.Suite) integrity.Promise {
	before := ps.Checker.before(s.Gate)
	p := integrity.Promise{Before: before, Known: before.PassedTests, Wanted: ps.wantedOf(s), Rewritten: ps.Run.Project.Suites.Rewritten(ps.Now.Changes)}
	p.Red, p.WasRed = ps.Tests.AllRed().Of(s.Gate)
	p.New, p.Broken = p.Red, ps.Tests.AllRed().Broken(s.Gate)
	if ps.Job.Part != nil {
		earlier, _ := ps.Start.Earlier.Red.Of(s.Gate)
		p.Known = work.Union(before.PassedTests, earlier)
		p.New, p.WasRed = ps.Tests.Red.Of(s.Gate)
		p.Broken = ps.Tests.Red.Broken(s.Gate) // tests of others are not new
	}
	there := !ps.Tests.Waived && ps.Tests.Written != nil && len(ps.Tests.Written.Files) == 0 && len(integrity.Failing(before.Findings)) > 0 // of the task, and not written by it
	p.MustBring = p.WasRed || there
	return p
}

// WithHeld adds the gate "held" to the reports of a review: passing suites must have executed the tests that were seen red, something
// must pass that did not before the run, and tests that passed before must still be executed. A failing suite reports its own failure.
func (ps *Promises) WithHeld(n graph.Node, reports []gate.Report) []gate.Report {
	held := gate.Report{Gate: integrity.RuleHeld, Verdict: gate.Pass}
	for _, s := range ps.Run.Project.Suites {
		at := slices.IndexFunc(reports, func(report gate.Report) bool { return report.Gate == s.Gate })
		if at < 0 || reports[at].Verdict != gate.Pass && reports[at].Decides() {
			continue
		}
		executed, found := ps.promise(s).Held(reports[at])
		held.Executed += executed
		held.Passed += max(0, executed-len(found))
		held.Findings = append(held.Findings, found...)
	}
	if held.Executed == 0 {
		return reports
	}
	held.Summary = fmt.Sprintf("%d of %d tests that must pass do: new ones, seen to fail before the change, and old ones that passed and are unchanged", held.Passed, held.Executed)
	if len(held.Findings) > 0 {
		held.Verdict = gate.Fail
		held.Summary = work.Shorten(held.Findings[0].Message, 200)
	}
	ps.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: held})
	return append(slices.Clip(reports), held)
}

// NameNew records the tests of each suite that pass and did not before the run, whether they were seen red or not: they may not have
// compiled before the implementation. Modules that join this change must keep them.
func (ps *Promises) NameNew() {
	for _, s := range ps.Run.Project.Suites {
		for _, report := range ps.Now.Checked {
			if report.Gate != s.Gate {
				continue
			}
			passed := integrity.Beyond(report.PassedTests, ps.Checker.before(s.Gate).PassedTests)
			if len(passed) > 0 {
				ps.Tests.SawPass(s.Gate, passed)
			}
		}
	}
}

// alteredTests returns the changes of the attempt that may make existing tests state something else, in files that the task does not name, or
// with a test that the task requires to pass.
func (ps *Promises) alteredTests() (altered patch.ChangeSet) {
	for _, f := range ps.Now.Changes.Files {
		if ps.Run.Project.Suites.Alter(f) && (!ps.asksFor(integrity.Origin(f)) || ps.wanted(f.Before) != "") {
			altered.Files = append(altered.Files, f)
		}
	}
	return altered
}

// Fitting is the guard while parts are joined: tests keep their content, except tests of the parts that are at fault or conflict.
func (ps *Promises) Fitting(changes patch.ChangeSet, explanation string) error {
	rest := slices.DeleteFunc(slices.Clone(changes.Files), func(f patch.FileChange) bool {
		clash := slices.ContainsFunc(ps.Start.Clashes, func(c patch.Clash) bool { return c.Path == f.Path })
		return f.Kind != patch.Delete && ps.Run.Project.IsTest(f.Path) && ps.Tests.WroteTest(f.Path) && (ps.Tests.FaultyTests || clash)
	})
	return ps.Rules().Growing(patch.ChangeSet{Files: rest}, explanation)
}

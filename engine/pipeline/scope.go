package pipeline

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/step"
	"forge/patch"
)

// MaxTests is how many files of tests a folder may have of which all are run for each change. With more of them gates look at what the change
// concerns: the tests that were written while they must fail, and what has changed with all that imports it before there is a proposal.
const MaxTests = 100

// scoped reports whether gates look at what the change concerns only.
func (p Project) scoped() bool { return p.TestFiles > MaxTests }

// narrow reports whether a gate looks at what the change concerns only: in a large folder, and where the gate said nothing of use about the
// whole of it before the run.
func (r *run) narrow(name string) bool { return r.Project.scoped() || r.unfinished(name) }

// unfinished reports whether a gate could start before the run, and said nothing of use: it ran out of time or memory, or tests wrote tests.
func (r *run) unfinished(name string) bool {
	rewritten := func(f gate.Finding) bool { return f.Rule == gate.RuleRewritten }
	return slices.ContainsFunc(r.baseline, func(report gate.Report) bool {
		return report.Gate == name && (report.Verdict == gate.Error || slices.ContainsFunc(report.Findings, rewritten))
	})
}

// scope is what of a tree a gate judges a change by: of a small folder everything but gates that the files do not concern.
func (r *run) scope(name string, reach gate.Reach, changes patch.ChangeSet) gate.Scope {
	if !r.narrow(name) {
		reach = gate.ReachAll
	}
	return gate.Scope{Changed: scopePaths(changes), Reach: reach}
}

// scopePaths are the files that a change concerns: also those from where it moves something.
func scopePaths(changes patch.ChangeSet) (paths []string) {
	for _, f := range changes.Files {
		paths = append(paths, integrity.Paths(f)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// wide is the scope in which a gate judges the change of the module.
func (m *module) wide(name string) gate.Scope {
	return m.run.scope(name, gate.ReachWide, m.now.changes)
}

// before is what a gate said of the tree without the change, in the scope of the change; a report of nothing where it was not asked.
func (m *module) before(name string) gate.Report {
	if report, known := m.knownBefore(name); known {
		return report
	}
	return gate.Report{Gate: name}
}

func (m *module) knownBefore(name string) (gate.Report, bool) {
	is := func(report gate.Report) bool { return report.Gate == name }
	if at := slices.IndexFunc(m.based, is); at >= 0 {
		return m.based[at], true
	}
	if at := slices.IndexFunc(m.run.baseline, is); at >= 0 && !m.run.unfinished(name) { // in the scope of the change it may get through
		return m.run.baseline[at], true
	}
	return gate.Report{}, false
}

// compare has a gate look at the tree without the change, where it did not before the run: always where it runs tests, of which
// none may get lost, else only where it does not pass.
func (m *module) compare(ctx context.Context, n graph.Node, after gate.Report) error {
	m.based = slices.DeleteFunc(slices.Clone(m.based), func(report gate.Report) bool { return report.Gate == after.Gate })
	if _, known := m.knownBefore(after.Gate); known || after.Unconcerned || after.Verdict == gate.Pass && m.run.suite(after.Gate) == nil {
		return nil
	}
	report, err := m.runBefore(ctx, n, after)
	m.based = append(m.based, report)
	return err
}

// runBefore has a gate look at the tree without the change. A suite that can tell what only uses the changed code from what was changed looks at the
// latter, and at what fails: the former was not written otherwise, and what of it passes was there before.
func (m *module) runBefore(ctx context.Context, n graph.Node, after gate.Report) (gate.Report, error) {
	failing := testsOf(after.Findings)
	if m.run.suite(after.Gate) == nil || slices.Contains(failing, "") || len(after.Beyond) == 0 && after.Unreached == 0 {
		return m.run.runGateIn(ctx, n, "gate before", after.Gate, m.run.base(), m.wide(after.Gate))
	}
	before, err := m.run.runGateIn(ctx, n, "gate before, near", after.Gate, m.run.base(), m.run.scope(after.Gate, gate.ReachNear, m.now.changes))
	if err != nil || before.Verdict == gate.Error {
		return before, err
	}
	failing = slices.DeleteFunc(failing, func(test string) bool {
		return slices.ContainsFunc(before.Findings, func(f gate.Finding) bool { return f.Test == test })
	})
	if len(failing) > 0 {
		scope := gate.Scope{Changed: scopePaths(m.now.changes), Reach: gate.ReachNear, Only: failing, Files: true}
		also, err := m.run.runGateIn(ctx, n, "gate before, what fails", after.Gate, m.run.base(), scope)
		if err != nil {
			return also, err
		}
		if also.Verdict == gate.Error {
			return m.run.runGateIn(ctx, n, "gate before", after.Gate, m.run.base(), m.wide(after.Gate))
		}
		before = withMore(before, also)
	}
	before.Executed += len(after.Beyond)
	before.Held = slices.Compact(slices.Sorted(slices.Values(slices.Concat(before.Held, after.Beyond))))
	return before, nil
}

// withMore is what a suite said of some tests with what it said of some more.
func withMore(some, more gate.Report) gate.Report {
	for _, f := range more.Findings {
		if !slices.Contains(some.Findings, f) {
			some.Findings = append(slices.Clip(some.Findings), f)
		}
	}
	some.Held = slices.Concat(some.Held, more.Held)
	if more.Verdict == gate.Fail || some.Verdict == gate.NotRun {
		some.Verdict, some.Empty = more.Verdict, more.Empty
	}
	return some
}

// beforeTests is what a suite says of the tree that tests were written into: of the whole, or of the tests that are near to them.
func (m *module) beforeTests(ctx context.Context, n graph.Node, suite string, near gate.Scope) (gate.Report, error) {
	if report, known := m.knownBefore(suite); known && !m.run.narrow(suite) {
		return report, nil
	}
	return m.run.runGateIn(ctx, n, "before red", suite, step.State{Base: m.run.Base, Changes: m.begin.start.Changes}, near)
}

// unmeasured says why the baseline is not measured; empty where it is.
func (p Project) unmeasured() string {
	if !p.scoped() {
		return ""
	}
	return fmt.Sprintf("the folder has %d files of tests: what concerns the change is measured with it", p.TestFiles)
}

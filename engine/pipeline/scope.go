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
func (gs *gates) narrow(name string) bool { return gs.run.Project.scoped() || gs.unfinished(name) }

// unfinished reports whether a gate could start before the run, and said nothing of use: it ran out of time or memory, or tests wrote tests.
func (gs *gates) unfinished(name string) bool {
	rewritten := func(f gate.Finding) bool { return f.Rule == gate.RuleRewritten }
	return slices.ContainsFunc(gs.baseline, func(report gate.Report) bool {
		return report.Gate == name && (report.Verdict == gate.Error || slices.ContainsFunc(report.Findings, rewritten))
	})
}

// scope is what of a tree a gate judges a change by: of a small folder everything but gates that the files do not concern.
func (gs *gates) scope(name string, reach gate.Reach, changes patch.ChangeSet) gate.Scope {
	if !gs.narrow(name) {
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
func (c *checker) wide(name string) gate.Scope {
	return c.gates.scope(name, gate.ReachWide, c.now.changes)
}

// before is what a gate said of the tree without the change, in the scope of the change; a report of nothing where it was not asked.
func (c *checker) before(name string) gate.Report {
	if report, known := c.knownBefore(name); known {
		return report
	}
	return gate.Report{Gate: name}
}

func (c *checker) knownBefore(name string) (gate.Report, bool) {
	is := func(report gate.Report) bool { return report.Gate == name }
	if at := slices.IndexFunc(c.based, is); at >= 0 {
		return c.based[at], true
	}
	if at := slices.IndexFunc(c.gates.baseline, is); at >= 0 && !c.gates.unfinished(name) { // in the scope of the change it may get through
		return c.gates.baseline[at], true
	}
	return gate.Report{}, false
}

// compare has a gate look at the tree without the change, where it did not before the run: always where it runs tests, of which
// none may get lost, else only where it does not pass.
func (c *checker) compare(ctx context.Context, n graph.Node, after gate.Report) error {
	c.based = slices.DeleteFunc(slices.Clone(c.based), func(report gate.Report) bool { return report.Gate == after.Gate })
	if _, known := c.knownBefore(after.Gate); known || after.Unconcerned || after.Verdict == gate.Pass && c.gates.suite(after.Gate) == nil {
		return nil
	}
	report, err := c.runBefore(ctx, n, after)
	c.based = append(c.based, report)
	return err
}

// runBefore has a gate look at the tree without the change. A suite that can tell what only uses the changed code from what was changed looks at the
// latter, and at what fails: the former was not written otherwise, and what of it passes was there before.
func (c *checker) runBefore(ctx context.Context, n graph.Node, after gate.Report) (gate.Report, error) {
	failing := testsOf(after.Findings)
	if c.gates.suite(after.Gate) == nil || slices.Contains(failing, "") || len(after.Beyond) == 0 && after.Unreached == 0 {
		return c.gates.runGateIn(ctx, n, "gate before", after.Gate, c.run.base(), c.wide(after.Gate))
	}
	before, err := c.gates.runGateIn(ctx, n, "gate before, near", after.Gate, c.run.base(), c.gates.scope(after.Gate, gate.ReachNear, c.now.changes))
	if err != nil || before.Verdict == gate.Error {
		return before, err
	}
	failing = slices.DeleteFunc(failing, func(test string) bool {
		return slices.ContainsFunc(before.Findings, func(f gate.Finding) bool { return f.Test == test })
	})
	if len(failing) > 0 {
		scope := gate.Scope{Changed: scopePaths(c.now.changes), Reach: gate.ReachNear, Only: failing, Files: true}
		also, err := c.gates.runGateIn(ctx, n, "gate before, what fails", after.Gate, c.run.base(), scope)
		if err != nil {
			return also, err
		}
		if also.Verdict == gate.Error {
			return c.gates.runGateIn(ctx, n, "gate before", after.Gate, c.run.base(), c.wide(after.Gate))
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
func (c *checker) beforeTests(ctx context.Context, n graph.Node, suite string, near gate.Scope) (gate.Report, error) {
	if report, known := c.knownBefore(suite); known && !c.gates.narrow(suite) {
		return report, nil
	}
	return c.gates.runGateIn(ctx, n, "before red", suite, step.State{Base: c.run.Base, Changes: c.begin.start.Changes}, near)
}

// unmeasured says why the baseline is not measured; empty where it is.
func (p Project) unmeasured() string {
	if !p.scoped() {
		return ""
	}
	return fmt.Sprintf("the folder has %d files of tests: what concerns the change is measured with it", p.TestFiles)
}

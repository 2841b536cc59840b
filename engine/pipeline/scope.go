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

// scope is what of a tree a change is judged by: of a small folder everything but gates that the files do not concern.
func (r *run) scope(reach gate.Reach, changes patch.ChangeSet) gate.Scope {
	if !r.Project.scoped() {
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

// wide is the scope in which the change of the module is judged.
func (m *module) wide() gate.Scope { return m.scope(gate.ReachWide, m.changes) }

// before is what a gate said of the tree without the change, in the scope of the change; a report of nothing where it was not asked.
func (m *module) before(name string) gate.Report {
	if report, known := m.knownBefore(name); known {
		return report
	}
	return gate.Report{Gate: name}
}

func (m *module) knownBefore(name string) (gate.Report, bool) {
	for _, reports := range [][]gate.Report{m.based, m.baseline} {
		if at := slices.IndexFunc(reports, func(report gate.Report) bool { return report.Gate == name }); at >= 0 {
			return reports[at], true
		}
	}
	return gate.Report{}, false
}

// compare has a gate look at the tree without the change, where the whole was not looked at before the run: always where it runs tests, of which
// none may get lost, else only where it does not pass.
func (m *module) compare(ctx context.Context, n graph.Node, after gate.Report) error {
	m.based = slices.DeleteFunc(slices.Clone(m.based), func(report gate.Report) bool { return report.Gate == after.Gate })
	if _, known := m.knownBefore(after.Gate); known || after.Unconcerned || after.Verdict == gate.Pass && m.suite(after.Gate) == nil {
		return nil
	}
	report, err := m.runGateIn(ctx, n, "gate before", after.Gate, m.base(), m.wide())
	m.based = append(m.based, report)
	return err
}

// beforeTests is what a suite says of the tree that tests were written into: of the whole, or of the tests that are near to them.
func (m *module) beforeTests(ctx context.Context, n graph.Node, suite string, near gate.Scope) (gate.Report, error) {
	if report, known := m.knownBefore(suite); known && !m.Project.scoped() {
		return report, nil
	}
	return m.runGateIn(ctx, n, "before red", suite, step.State{Base: m.Base, Changes: m.start.Changes}, near)
}

// unmeasured says why the baseline is not measured; empty where it is.
func (p Project) unmeasured() string {
	if !p.scoped() {
		return ""
	}
	return fmt.Sprintf("the folder has %d files of tests: what concerns the change is measured with it", p.TestFiles)
}

package pipeline

import (
	"fmt"
	"slices"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
)

// promises says what must hold of tests: which a change may touch, which it has to make pass, and which it must not lose. It owns nothing.
type promises struct {
	run       *run
	gates     *gates
	job       *job
	begin     *beginning
	questions *questions
	now       *attempt
	tested    *tested
	known     *known
	checker   *checker
}

// withHeld adds the gate held to the reports of a review: suites that pass must have executed the tests that were seen red, something
// must pass that did not before the run, and what passed before must still be executed. A suite that does not pass says itself what is
// wrong.
func (ps *promises) withHeld(n graph.Node, reports []gate.Report) []gate.Report {
	held := gate.Report{Gate: integrity.RuleHeld, Verdict: gate.Pass}
	for _, s := range ps.run.Project.Suites {
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
	held.Summary = fmt.Sprintf("%d of %d tests that must hold are executed and pass", held.Passed, held.Executed)
	if len(held.Findings) > 0 {
		held.Verdict = gate.Fail
		held.Summary = digest(held.Findings[0].Message, 200)
	}
	ps.run.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: held})
	return append(slices.Clip(reports), held)
}

// promise is what a suite must show when it passes. A part of a plan answers for its own tests, and keeps those of the parts before it.
func (ps *promises) promise(s integrity.Suite) integrity.Promise {
	before := ps.checker.before(s.Gate)
	p := integrity.Promise{Before: before, Known: before.Held, Wanted: ps.wantedOf(s), Rewritten: ps.run.Project.Suites.Rewritten(ps.now.changes)}
	p.Red, p.WasRed = ps.tested.allRed().Of(s.Gate)
	p.New, p.Broken = p.Red, ps.tested.allRed().Broken(s.Gate)
	if ps.job.part != nil {
		earlier, _ := ps.begin.earlier.red.Of(s.Gate)
		p.Known = merge(before.Held, earlier)
		p.New, p.WasRed = ps.tested.red.Of(s.Gate)
		p.Broken = ps.tested.red.Broken(s.Gate) // what others wrote is nothing new
	}
	there := ps.tested.tests != nil && len(ps.tested.tests.Files) == 0 && len(integrity.Failing(before.Findings)) > 0 // of the task, and not written by it
	p.MustBring = p.WasRed || there
	return p
}

// nameNew takes down the names of the tests that pass and did not before the run, suite by suite, whether they were seen red or not:
// before there was an implementation they may not have compiled. What joins this change with others has to hold them.
func (ps *promises) nameNew() {
	for _, s := range ps.run.Project.Suites {
		for _, report := range ps.checker.checked {
			if report.Gate != s.Gate {
				continue
			}
			passed := integrity.Beyond(report.Held, ps.checker.before(s.Gate).Held)
			if len(passed) > 0 {
				ps.tested.sawPass(s.Gate, passed)
			}
		}
	}
}

package judge

import (
	"context"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// before is what a gate said of the tree without the change, in the scope of the change; a report of nothing where it was not asked.
func (c *Checker) before(name string) gate.Report {
	if report, known := c.knownBefore(name); known {
		return report
	}
	return gate.Report{Gate: name}
}

func (c *Checker) knownBefore(name string) (gate.Report, bool) {
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
func (c *Checker) compare(ctx context.Context, n graph.Node, after gate.Report) error {
	c.based = slices.DeleteFunc(slices.Clone(c.based), func(report gate.Report) bool { return report.Gate == after.Gate })
	if _, known := c.knownBefore(after.Gate); known || after.Unconcerned || c.gates.suite(after.Gate) == nil && !c.differs(after) {
		if !known && after.Missing != "" {
			c.based = append(c.based, after)
		}
		return nil
	}
	report, err := c.runBefore(ctx, n, after)
	c.based = append(c.based, report)
	return err
}

// differs reports whether what a gate says of the change may be more than it says of the tree without it. A program that is not installed is missing there too.
func (c *Checker) differs(after gate.Report) bool {
	return !after.Unconcerned && after.Verdict != gate.Pass && after.Missing == ""
}

// runBefore has a gate look at the tree without the change. A suite that can tell what only uses the changed code from what was changed looks at the
// latter, and at what fails: the former was not written otherwise, and what of it passes was there before.
func (c *Checker) runBefore(ctx context.Context, n graph.Node, after gate.Report) (gate.Report, error) {
	failing := testsOf(after.Findings)
	if c.gates.suite(after.Gate) == nil || slices.Contains(failing, "") || len(after.Beyond) == 0 && after.Unreached == 0 {
		return c.gates.runGateIn(ctx, n, "gate before", after.Gate, c.Run.Folder(), c.wide(after.Gate))
	}
	before, err := c.gates.runGateIn(ctx, n, "gate before, near", after.Gate, c.Run.Folder(), c.gates.scope(after.Gate, gate.ReachNear, c.Now.Changes))
	if err != nil || before.Verdict == gate.Error {
		return before, err
	}
	failing = slices.DeleteFunc(failing, func(test string) bool {
		return slices.ContainsFunc(before.Findings, func(f gate.Finding) bool { return f.Test == test })
	})
	if len(failing) > 0 {
		scope := gate.Scope{Changed: work.ScopePaths(c.Now.Changes), Reach: gate.ReachNear, Only: failing, Files: true}
		also, err := c.gates.runGateIn(ctx, n, "gate before, what fails", after.Gate, c.Run.Folder(), scope)
		if err != nil {
			return also, err
		}
		if also.Verdict == gate.Error {
			return c.gates.runGateIn(ctx, n, "gate before", after.Gate, c.Run.Folder(), c.wide(after.Gate))
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
func (c *Checker) beforeTests(ctx context.Context, n graph.Node, suite string, near gate.Scope) (gate.Report, error) {
	if report, known := c.knownBefore(suite); known && !c.gates.narrow(suite) {
		return report, nil
	}
	return c.gates.runGateIn(ctx, n, "before red", suite, step.State{Base: c.Run.Base, Changes: c.Start.Tree.Changes}, near)
}

// remeasure has a gate look at the tree without the change where what it says of that was measured by an earlier run, and the change would be
// charged for the difference: the world around the folder may be another one by now.
func (c *Checker) remeasure(ctx context.Context, n graph.Node, report gate.Report) error {
	before, known := c.knownBefore(report.Gate)
	if !known || before.Checked.IsZero() || gate.Open([]gate.Report{c.charge(report)}) {
		return nil
	}
	_, err := c.measuredNow(ctx, n, report.Gate, report)
	return err
}

// measuredNow has a gate look at the tree without the change, whatever an earlier run measured, and keeps what it says for the comparison. after is what it
// says of the change: how far a suite gets with what only uses that is a matter of time.
func (c *Checker) measuredNow(ctx context.Context, n graph.Node, name string, after gate.Report) (gate.Report, error) {
	call := step.GateCall{State: c.Run.Folder(), Gate: name, Fresh: true}
	if c.gates.narrow(name) {
		call.Scope = c.wide(name)
	}
	report, err := c.gates.runGateOnce(ctx, n, "gate before, again/"+name, call)
	if len(report.Beyond) > 0 {
		report.Held = slices.Sorted(slices.Values(slices.Concat(integrity.Beyond(report.Held, report.Beyond), after.Beyond)))
	}
	if err == nil && ctx.Err() == nil {
		c.based = append(slices.DeleteFunc(slices.Clone(c.based), func(r gate.Report) bool { return r.Gate == name }), report)
	}
	return report, err
}

// excused reports whether a test fails now that an earlier run saw pass: it is no new one, and may fail without the change by now.
func excused(before, now gate.Report) bool {
	return !before.Checked.IsZero() && slices.ContainsFunc(now.Findings, func(f gate.Finding) bool { return slices.Contains(before.Held, f.Test) })
}

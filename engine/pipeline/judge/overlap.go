package judge

import (
	"context"
	"errors"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// A run whose suites may overlap measures its baseline while the change is written and checked (docs/adr/0110). The steps of the node
// baseline synchronise this: code that needs a report performs the same step, which waits for the result or reads it from the journal.

// Joined reports whether the baseline is known. Decisions that depend on it wait for that.
func (gs *Gates) Joined() bool { return gs.joined || !gs.run.Overlaps() }

// Ready waits for the baseline where gates take turns: no gate runs on a change before. Elsewhere it does nothing.
func (gs *Gates) Ready(ctx context.Context) error {
	if !gs.run.Project.InTurn {
		return nil
	}
	return gs.Join(ctx)
}

// Join waits for the baseline.
func (gs *Gates) Join(ctx context.Context) error {
	if gs.Joined() {
		return nil
	}
	n := graph.Node{ID: work.NodeBaseline, Kind: work.NodeBaseline, Attempt: 1}
	var reports []gate.Report
	for _, g := range gs.run.First() {
		report, err := gs.measure(ctx, n, g)
		if err := errors.Join(err, context.Cause(ctx)); err != nil {
			return err
		}
		reports = append(reports, report)
	}
	gs.baseline, gs.joined = reports, true
	return nil
}

// AskAboutTests asks the user whether the run continues if no suite can execute a test. It asks once.
func (gs *Gates) AskAboutTests(ctx context.Context, n graph.Node, questions *work.Questions) graph.Outcome {
	if gs.asked {
		return graph.Outcome{Status: graph.Done}
	}
	gs.asked = true
	return questions.AskAboutTests(ctx, n, gs.untestable())
}

// ahead performs the steps of a check that need no baseline while the baseline is measured: the suites, the other gates, and the
// original tests that the change touches. The check itself reads their results from the journal, and reports their errors.
func (ps *Promises) ahead(ctx context.Context, n graph.Node) {
	c := ps.Checker
	suite := func(g string) bool { return c.gates.suite(g) != nil }
	suites := slices.DeleteFunc(slices.Clone(ps.Run.Project.Gates), func(g string) bool { return !suite(g) })
	jobs := []func(){func() {
		for _, g := range suites {
			_, _ = c.gates.runGateIn(ctx, n, "gate", g, c.Now.Tree, c.wide(g))
		}
	}}
	for _, g := range slices.DeleteFunc(slices.Clone(ps.Run.Project.Gates), suite) {
		jobs = append(jobs, func() {
			after, err := c.gates.runGateIn(ctx, n, "gate", g, c.Now.Tree, c.wide(g))
			if err == nil && ps.Run.IsLater(g) && c.differs(after) {
				_, _ = c.runBefore(ctx, n, after)
			}
		})
	}
	ps.Run.InPairs(append(jobs, func() { ps.existingTestsAhead(ctx, n) })...)
}

// existingTestsAhead runs the original tests that KeepExistingTests will run.
func (ps *Promises) existingTestsAhead(ctx context.Context, n graph.Node) {
	r := regression{Promises: ps, node: n}
	for _, f := range ps.Now.Changes.Files {
		if ps.Run.Project.Suites.Alter(f) && !ps.asksFor(integrity.Origin(f)) {
			r.altered.Files = append(r.altered.Files, f)
		}
	}
	for _, s := range ps.Run.Project.Suites.In(r.altered) {
		if !s.OnlyTests(r.testsOnly()) {
			_, _ = r.theirFiles(ctx, s)
		}
	}
}

// CheckBeside is CheckChange for a change whose check need not wait for the baseline.
func (ps *Promises) CheckBeside(ctx context.Context, n graph.Node) error {
	c := ps.Checker
	if err := c.gates.Ready(ctx); err != nil {
		return err
	}
	if c.gates.Joined() {
		return c.CheckChange(ctx, n)
	}
	for i, g := range ps.Run.Project.Gates {
		ps.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: g, Index: i + 1, Of: len(ps.Run.Project.Gates)})
	}
	ps.ahead(ctx, n)
	if err := c.gates.Join(ctx); err != nil {
		return err
	}
	for _, s := range ps.Run.Project.Suites {
		if err := c.clear(ctx, n, s.Gate); err != nil {
			return err
		}
	}
	return c.check(ctx, n, func(string, int, int) {})
}

// foresees reports whether gates run side by side before the check reads their results: in a large folder, which has no baseline, where the
// languages' suites may overlap with other work.
func (c *Checker) foresees() bool {
	p := c.Run.Project
	return p.Scoped() && p.Overlap && !p.InTurn && !c.Run.AtFirst && !c.Run.Task.Plan.Wanted
}

// foresee runs what the check of a change in a large folder will read from the journal: the suites without the change, near it,
// concurrently with the gates that run no tests. Compilers keep the processor busy, and tests often wait. If the check needs another
// scope, it runs that, too. The check reports errors.
func (c *Checker) foresee(ctx context.Context, n graph.Node) {
	c.based = nil // of an earlier attempt, in the scope of its change
	c.Run.Together(func() {
		for _, s := range c.Run.Project.Suites {
			if _, known := c.knownBefore(s.Gate); !known {
				_, _ = c.gates.runGateIn(ctx, n, stepNearBefore, s.Gate, c.Folder(), c.gates.scope(s.Gate, gate.ReachNear, c.Now.Changes))
			}
		}
	}, func() {
		for _, g := range c.Run.Project.Gates {
			if c.gates.suite(g) == nil {
				_, _ = c.gates.runGateIn(ctx, n, c.stepOf(g), g, c.Now.Tree, c.wide(g))
			}
		}
	})
}

// clear runs tests alone, without the change, that failed without it and with it while both were measured at the same time: each may have
// failed because of the other, for example at a port, and would excuse the change. Tests that pass alone are not excused.
func (c *Checker) clear(ctx context.Context, n graph.Node, name string) error {
	before, known := c.knownBefore(name)
	if !known || before.Verdict != gate.Fail || !before.Checked.IsZero() {
		return nil
	}
	after, err := c.gates.runGateIn(ctx, n, "gate", name, c.Now.Tree, c.wide(name))
	if err != nil {
		return err
	}
	both := slices.DeleteFunc(integrity.Failing(before.Findings), func(test string) bool { return slices.Contains(after.PassedTests, test) })
	if len(both) == 0 {
		return nil
	}
	alone, err := c.runAlone(ctx, n, "gate before, alone", before, both, c.Folder())
	if err == nil && ctx.Err() == nil {
		c.gates.Renew(alone)
	}
	return err
}

// seenBeside runs the new tests of a scope while the baseline is measured. If a failing test may have existed before, it also runs them
// without the new tests. seen is false if no new test fails, or the tests cannot run: then the baseline decides.
func (r *Reds) seenBeside(ctx context.Context, n graph.Node, s integrity.Suite, how string, scope gate.Scope) (before, report gate.Report, seen bool) {
	written := work.Since(r.Now.Tree, 0)
	report, err := r.gates.runGateIn(ctx, n, "red "+how, s.Gate, r.Now.Tree, scope)
	lacks := func(f gate.Finding) bool { return f.Absent != "" } // for the rest of the suite it may have been absent before
	if err != nil || report.Verdict != gate.Fail || slices.ContainsFunc(report.Findings, lacks) {
		return before, report, false
	}
	before = gate.Report{Gate: s.Gate, Verdict: gate.Pass}
	if slices.ContainsFunc(report.Findings, func(f gate.Finding) bool { return !isNew(f, written) }) {
		before, err = r.gates.runGateIn(ctx, n, "before red "+how, s.Gate, step.State{Base: r.Folder().Base, Changes: r.Start.Tree.Changes}, scope)
	}
	red, _ := s.Red(before, report)
	return before, report, red && err == nil && ctx.Err() == nil && (before.Verdict != gate.NotRun || before.Empty)
}

// isNew reports whether a finding cannot have been reported before a change of test files: it is of a test whose name none of them had, or
// a tool names a line that its file did not have.
func isNew(f gate.Finding, written patch.ChangeSet) bool {
	if f.Test == "" {
		return !f.Inferred && slices.ContainsFunc(written.Files, func(file patch.FileChange) bool {
			line := lineOf(file.After, f.Line)
			return file.Path == f.Path && line != "" && !slices.Contains(linesOf(file.Before), line)
		})
	}
	name := integrity.Base(f.Test)
	has := func(text func(patch.FileChange) string) bool {
		return slices.ContainsFunc(written.Files, func(f patch.FileChange) bool { return strings.Contains(text(f), name) })
	}
	return name != "" && has(func(f patch.FileChange) string { return f.After }) && !has(func(f patch.FileChange) string { return f.Before })
}

// linesOf returns the lines of a text without the white space around them.
func linesOf(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// lineOf returns one of them, counted from 1; "" if there is none.
func lineOf(text string, number int) string {
	if lines := linesOf(text); number >= 1 && number <= len(lines) {
		return lines[number-1]
	}
	return ""
}

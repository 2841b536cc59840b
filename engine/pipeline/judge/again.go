package judge

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
)

// judged is what gates reported in the attempt that was judged last.
type judged struct {
	attempt int
	result  string // a digest of its change
	reports []gate.Report
}

// note keeps the reports on the current attempt.
func (c *Checker) note() {
	c.last = judged{c.Now.Number, c.Now.Resulted, c.Now.Checked}
}

// repeats reports whether the attempt has the files of the one that was judged last. After the user has resumed the run, tools may have changed.
func (c *Checker) repeats() bool {
	return c.last.result != "" && c.last.result == c.Now.Resulted && !c.History.AfterResume(c.Now.Number)
}

// heldAgainst returns a gate's report on the attempt that was judged last if it holds for this one: the files are the same, and the gate does not object
// to them, or the tests that failed do so again, alone. Otherwise the gate runs again: its failure may have been temporary.
func (c *Checker) heldAgainst(ctx context.Context, n graph.Node, name string) (report gate.Report, holds bool, err error) {
	at := slices.IndexFunc(c.last.reports, func(r gate.Report) bool { return r.Gate == name })
	if at < 0 || !c.repeats() {
		return report, false, nil
	}
	report = c.last.reports[at]
	charged := c.charge(report)
	switch {
	case report.Verdict == gate.Error || report.Verdict == gate.NotRun && !report.Empty:
		return report, false, nil
	case gate.Open([]gate.Report{charged}):
		return report, true, nil
	case c.gates.suite(name) == nil || slices.ContainsFunc(charged.Findings, func(f gate.Finding) bool { return f.Test == "" }):
		return report, false, nil
	}
	second, err := c.runAlone(ctx, n, "gate again", report, integrity.Failing(charged.Findings), c.Now.Tree)
	return report, len(second.Flaky) == len(report.Flaky), err
}

// asBefore is what the user sees of a report on an earlier attempt that holds for the same files.
func asBefore(report gate.Report, attempt int) gate.Report {
	report.Elapsed = 0
	report.Summary = fmt.Sprintf("%s; as in attempt %d, with the same files", report.Summary, attempt)
	return report
}

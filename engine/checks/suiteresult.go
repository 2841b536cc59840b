package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// conclude returns the result of suites that ended by themselves.
func (s *Suite) conclude(reports []gate.Report, err error) SuiteResult {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return SuiteResult{Verdict: gate.Error, Reports: reports, Text: fmt.Sprintf("whole suite: not finished within %v; %s so far", suiteLimit, s.Count())}
	case err != nil:
		return SuiteResult{Verdict: gate.Error, Reports: reports, Text: "whole suite: not finished: " + err.Error()}
	}
	r := SuiteResult{Verdict: gate.Pass, Reports: reports, Text: "whole suite: " + suiteText(reports)}
	for _, report := range reports {
		switch {
		case suiteCharges(report):
			r.Verdict, r.Failing = gate.Fail, append(r.Failing, suiteFailing(report)...)
		case report.Verdict != gate.Pass && r.Verdict == gate.Pass:
			r.Verdict = gate.Error
		}
	}
	if r.Verdict == gate.Error && s.Count().Ended > 0 {
		r.Text += fmt.Sprintf("; %s so far", s.Count())
	}
	return r
}

// halted is the result of a suite that was stopped.
func (s *Suite) halted() SuiteResult {
	text := suiteStopped
	if count := s.Count(); count.Ended > 0 {
		text += fmt.Sprintf("; %s so far", count)
	}
	return SuiteResult{Text: text}
}

const suiteStopped = "whole suite: stopped"

// suiteCharges reports whether a suite fails with the change and not without it.
func suiteCharges(r gate.Report) bool { return r.Verdict == gate.Fail && r.Decides() }

// suiteText summarizes the reports of suites in one line.
func suiteText(reports []gate.Report) string {
	var count SuiteCount
	var known int
	var fails, flaky, not []string
	for _, r := range reports {
		count.Ended, count.Passed, known = count.Ended+r.Executed, count.Passed+r.Passed, known+r.Known
		flaky = append(flaky, r.Flaky...)
		switch {
		case suiteCharges(r):
			fails = append(fails, suiteFailing(r)...)
		case r.Verdict != gate.Pass:
			not = append(not, r.Summary)
		}
	}
	var parts []string
	switch {
	case len(fails) == 1:
		parts = append(parts, "1 test outside of the scope fails with this change: "+fails[0])
	case len(fails) > 0:
		parts = append(parts, fmt.Sprintf("%s tests outside of the scope fail with this change: %s", grouped(len(fails)), listedTests(fails)))
	case len(not) > 0:
		parts = append(parts, "not finished: "+strings.Join(not, "; "))
	default:
		parts = append(parts, count.String())
	}
	if known > 0 {
		parts = append(parts, grouped(known)+" failed before the change, too")
	}
	if len(flaky) > 0 {
		parts = append(parts, "flaky, not charged: "+listedTests(flaky))
	}
	return strings.Join(parts, "; ")
}

// suiteFailing names the findings that a change is charged with: by the test, or by their first line, for example for code that does not compile.
func suiteFailing(r gate.Report) (names []string) {
	for _, f := range r.Findings {
		name := cmp.Or(f.Test, tool.FirstLine(f.String()))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = []string{r.Summary}
	}
	return names
}

// maxNamed is how many tests are named in one line.
const maxNamed = 5

// listedTests is a list for users.
func listedTests(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:maxNamed], ", "), grouped(len(names)-maxNamed))
}

// Fails describes the failing tests for users: "2 tests: m.TestA, m.TestB".
func (r SuiteResult) Fails() string {
	if len(r.Failing) == 1 {
		return "1 test: " + r.Failing[0]
	}
	return grouped(len(r.Failing)) + " tests: " + listedTests(r.Failing)
}

// String is the count for users: 1,942 of 1,943 passed.
func (c SuiteCount) String() string { return grouped(c.Passed) + " of " + grouped(c.Ended) + " passed" }

// grouped writes a number with a comma before each three digits.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// SuiteReports returns the last report of each suite that ran in the background, from the events of a run.
func SuiteReports(events []event.Event) (reports []gate.Report) {
	for _, e := range events {
		finished, is := e.Data.(event.GateFinished)
		if !is || finished.Node != SuiteNode {
			continue
		}
		reports = slices.DeleteFunc(reports, func(r gate.Report) bool { return r.Gate == finished.Report.Gate })
		reports = append(reports, finished.Report)
	}
	return reports
}

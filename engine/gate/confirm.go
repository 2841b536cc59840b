package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Confirm combines two executions of a gate on one tree, of which one may have run fewer tests. A test that passed in one of them
// is flaky and not charged; a test that failed in both failed. A second execution without a result leaves the first as it is.
func Confirm(first, second Report) Report {
	switch {
	case !ran(second):
		return first
	case !ran(first):
		return second
	}
	report, other := second, first
	if first.Executed > second.Executed {
		report, other = first, second
	}
	report.Flaky = flaky(report, other)
	fails := map[string]bool{}
	found := report.Findings
	report.Findings = nil
	for _, f := range found {
		if f.Test == "" || !slices.Contains(report.Flaky, f.Test) {
			report.Findings, fails[f.Test] = append(report.Findings, f), true
		}
	}
	before := len(report.PassedTests)
	report.PassedTests = slices.DeleteFunc(slices.Concat(report.PassedTests, other.PassedTests), func(test string) bool { return fails[test] })
	slices.Sort(report.PassedTests)
	report.PassedTests = slices.Compact(report.PassedTests)
	report.Passed = min(report.Executed, report.Passed+max(0, len(report.PassedTests)-before))
	if report.Verdict == Fail && len(report.Findings) == 0 && len(found) > 0 {
		report.Verdict = Pass
	}
	if len(report.Flaky) > 0 {
		report.Summary = flakySummary(report)
	}
	return report
}

// flaky returns the tests that failed in one of two executions and passed in the other.
func flaky(a, b Report) (tests []string) {
	for _, pair := range [][2]Report{{a, b}, {b, a}} {
		for _, f := range pair[0].Findings {
			if f.Test != "" && slices.Contains(pair[1].PassedTests, f.Test) {
				tests = append(tests, f.Test)
			}
		}
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}

// flakySummary adds the flaky tests to a report's summary.
func flakySummary(r Report) string {
	said := fmt.Sprintf("%s passed", count(r.Passed, "test"))
	if r.Verdict == Fail {
		said = cmp.Or(r.Summary, "tests failed")
	}
	return cut(fmt.Sprintf("%s; flaky, not charged: %s", said, strings.Join(r.Flaky, ", ")))
}

package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Confirm puts together what a suite said of one tree in two executions, of which one may be of fewer tests. A test that passed in one of
// them is flaky, which no change is charged with; what failed in both failed. A second execution that said nothing leaves the first as it is.
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
	before := len(report.Held)
	report.Held = slices.DeleteFunc(slices.Concat(report.Held, other.Held), func(test string) bool { return fails[test] })
	slices.Sort(report.Held)
	report.Held = slices.Compact(report.Held)
	report.Passed = min(report.Executed, report.Passed+max(0, len(report.Held)-before))
	if report.Verdict == Fail && len(report.Findings) == 0 && len(found) > 0 {
		report.Verdict = Pass
	}
	if len(report.Flaky) > 0 {
		report.Summary = flakySummary(report)
	}
	return report
}

// flaky are the tests that failed in one of two executions and passed in the other one.
func flaky(a, b Report) (tests []string) {
	for _, pair := range [][2]Report{{a, b}, {b, a}} {
		for _, f := range pair[0].Findings {
			if f.Test != "" && slices.Contains(pair[1].Held, f.Test) {
				tests = append(tests, f.Test)
			}
		}
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}

// flakySummary names what is flaky beside what a report says.
func flakySummary(r Report) string {
	said := fmt.Sprintf("%s passed", count(r.Passed, "test"))
	if r.Verdict == Fail {
		said = cmp.Or(r.Summary, "tests failed")
	}
	return cut(fmt.Sprintf("%s; flaky, not charged: %s", said, strings.Join(r.Flaky, ", ")))
}

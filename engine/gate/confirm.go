package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Confirm puts together what a suite said of one tree in two executions. A test that passed in one of them is flaky, which no change is
// charged with; what failed in both failed. A second execution that said nothing leaves the first as it is.
func Confirm(first, second Report) Report {
	if !ran(second) {
		return first
	}
	if !ran(first) {
		return second
	}
	failed := map[string]bool{}
	for _, f := range first.Findings {
		failed[f.Test] = true
	}
	report := second
	report.Held, report.Findings, report.Flaky = slices.Clone(second.Held), nil, nil
	for _, test := range second.Held {
		if failed[test] {
			report.Flaky = append(report.Flaky, test)
		}
	}
	for _, f := range second.Findings {
		if f.Test != "" && !failed[f.Test] && slices.Contains(first.Held, f.Test) {
			report.Flaky, report.Held = append(report.Flaky, f.Test), append(report.Held, f.Test)
			report.Passed++
			continue
		}
		report.Findings = append(report.Findings, f)
	}
	slices.Sort(report.Held)
	slices.Sort(report.Flaky)
	report.Flaky = slices.Compact(report.Flaky)
	if report.Verdict == Fail && len(report.Findings) == 0 && len(second.Findings) > 0 {
		report.Verdict = Pass
	}
	if len(report.Flaky) > 0 {
		report.Summary = flakySummary(report)
	}
	return report
}

// flakySummary names what is flaky beside what a report says.
func flakySummary(r Report) string {
	said := fmt.Sprintf("%s passed", count(r.Passed, "test"))
	if r.Verdict == Fail {
		said = cmp.Or(r.Summary, "tests failed")
	}
	return cut(fmt.Sprintf("%s; flaky, not charged: %s", said, strings.Join(r.Flaky, ", ")))
}

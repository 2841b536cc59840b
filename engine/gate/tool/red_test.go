package tool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

func TestRed_NeedsANewFailure(t *testing.T) {
	t.Parallel()
	failing := func(tests ...string) gate.Report {
		r := gate.Report{Verdict: gate.Fail, Summary: "it fails"}
		for _, name := range tests {
			r.Findings = append(r.Findings, gate.Finding{Test: name, Message: name})
		}
		return r
	}
	judge := func(f gate.Finding) (bool, string) {
		if f.Test == "broken" {
			return false, "the code is broken"
		}
		return f.Test == "new", ""
	}
	for _, test := range []struct {
		name          string
		before, after gate.Report
		reason        string // empty: it is red
	}{
		{"a new test fails", gate.Report{Verdict: gate.Pass}, failing("new"), ""},
		{"beside what is neither", gate.Report{}, failing("other", "new"), ""},
		{"only what is neither", gate.Report{}, failing("other"), "no new test fails: what fails did so before, or is no test: other: other"},
		{"it failed before", failing("new"), failing("new"), "no new test fails: what fails did so before, or is no test: new: new"},
		{"each failed before", failing("new", "old"), failing("new", "old"), "no new test fails: what fails did so before, or is no test: new: new, and 1 more"},
		{"a fault, after what is red", gate.Report{}, failing("new", "broken"), "the code is broken"},
		{"it passes", gate.Report{}, gate.Report{Verdict: gate.Pass}, "the new tests pass without an implementation: they prove nothing"},
		{"it was not run", gate.Report{PassedTests: []string{"a", "b"}}, gate.Report{Verdict: gate.Pass, PassedTests: []string{"b"}}, "all tests pass without an implementation, and none is new: the suite does not run the new tests, or they state what already holds"},
		{"it was run, and passes", gate.Report{PassedTests: []string{"a"}}, gate.Report{Verdict: gate.Pass, PassedTests: []string{"a", "b"}}, "the new tests pass without an implementation: they prove nothing"},
		{"nothing ran", gate.Report{}, gate.Report{Summary: "no tests"}, "the new tests were not seen to fail (not-run): no tests"},
		{"it is unknown how it was before", gate.Report{Verdict: gate.Error, Summary: "it broke"}, failing("new"), "what passed before is not known: it broke"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ok, reason := Red(test.before, test.after, judge)
			require.Equal(t, test.reason, reason)
			require.Equal(t, test.reason == "", ok)
		})
	}
}

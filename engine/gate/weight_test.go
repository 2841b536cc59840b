package gate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A gate that is red as before, and found nothing that holds, has looked at nothing of a change.
func TestVerified_NeedsAPassOfSomething(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		report Report
		want   bool
	}{
		"a pass":                          {Report{Verdict: Pass, Executed: 2, Passed: 2}, true},
		"a pass beside what was red":      {Report{Verdict: Pass, Executed: 2, Passed: 1, Known: 1}, true},
		"nothing but what was red before": {Report{Verdict: Pass, Executed: 1, Known: 1}, false},
		"nothing executed":                {Report{Verdict: Pass}, false},
		"a pass that decides nothing":     {Report{Verdict: Pass, Executed: 2, Passed: 2, Weight: Advisory}, false},
		"a fail":                          {Report{Verdict: Fail, Executed: 2, Passed: 1}, false},
	} {
		require.Equal(t, c.want, Verified([]Report{c.report}), name)
	}
}

// A suite of which nothing passes says so, also where nothing is new.
func TestBaseline_ReportsThatNoTestPassed(t *testing.T) {
	t.Parallel()
	red := Report{Gate: "go test", Verdict: Fail, Tests: true, Findings: []Finding{{Path: "a_test.go", Severity: SeverityError, Message: "undefined: x"}}}
	require.Equal(t, "nothing new; no test passed; 1 finding from before the change", Baseline([]Report{red}, []Report{red})[0].Summary)
	red.Executed, red.Passed = 1, 1
	require.Equal(t, "nothing new; 1 finding from before the change", Baseline([]Report{red}, []Report{red})[0].Summary)
}

package pipeline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/patch"
)

// Tests of another language that are not there block nobody; those of what is changed do.
func TestASuiteWithoutTestsBesideTheChange(t *testing.T) {
	t.Parallel()
	nothing := gate.Report{Gate: "python test", Verdict: gate.NotRun, Empty: true}
	missing := gate.Report{Gate: "python test", Verdict: gate.NotRun}
	green := gate.Report{Gate: "go test", Verdict: gate.Pass, Executed: 1}
	for name, test := range map[string]struct {
		before, after gate.Report
		path          string
		open          bool
	}{
		"beside the change":         {nothing, nothing, "a.go", true},
		"of what is changed":        {nothing, nothing, "a.py", false},
		"there before, not now":     {gate.Report{Gate: "python test", Verdict: gate.Pass}, nothing, "a.go", false},
		"not installed is not idle": {missing, missing, "a.go", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &module{run: &run{baseline: []gate.Report{green, test.before}}, attempted: attempted{changes: patch.ChangeSet{Files: []patch.FileChange{{Path: test.path}}}}}
			r.Project.Suites = integrity.Suites{
				{Gate: "go test", Concerns: func(path string) bool { return strings.HasSuffix(path, ".go") }},
				{Gate: "python test", Concerns: func(path string) bool { return strings.HasSuffix(path, ".py") }},
			}
			require.Equal(t, test.open, gate.Open(r.concerned([]gate.Report{green, test.after})))
			r.Project.Suites[1].Concerns = nil
			require.False(t, gate.Open(r.concerned([]gate.Report{green, test.after})), "whoever does not know is concerned")
		})
	}
}

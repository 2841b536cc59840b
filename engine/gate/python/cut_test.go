package python

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// Results of tests are in files, which are whole whatever is printed.
func TestReport_KnowsWhatFailedIfTheOutputIsCut(t *testing.T) {
	t.Parallel()
	s := session{
		places: testrun.Places{Sources: tool.SourcesIn(fstest.MapFS{"test_a.py": {Data: []byte("def test_a(): pass\n")}})}, result: sandbox.Result{Truncated: true, ExitCode: 1},
		tests: []testrun.Outcome{{Path: "test_a.py", Name: "test_a", State: testrun.Failed, Text: "no"}},
	}
	s.Exited, s.Code = true, 1
	report := s.report(gate.Report{Gate: nameTest, Tests: true})
	require.Equal(t, gate.Fail, report.Verdict, report.Summary)
	s.tests[0].State, s.Code, s.result.ExitCode = testrun.Passed, 0, 0
	require.Equal(t, gate.Error, s.report(gate.Report{Gate: nameTest, Tests: true}).Verdict, "the twin: it is not known how the rest ended")
}

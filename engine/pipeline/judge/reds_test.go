package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

func TestNothingFresh_IsNoFault(t *testing.T) {
	t.Parallel()
	lacks := gate.Finding{Path: "a.test.js", Rule: "load", Message: "there is no core", Absent: "core"}
	also := gate.Finding{Path: "b.test.js", Rule: "load", Message: "there is no core", Absent: "core"}
	other := gate.Finding{Path: "b.test.js", Rule: "syntax", Message: "SyntaxError"}
	before := gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{lacks}}
	for name, test := range map[string]struct {
		after gate.Report
		want  bool
	}{
		"it passes":                        {gate.Report{Verdict: gate.Pass}, true},
		"none of its files changed":        {gate.Report{Verdict: gate.NotRun, Empty: true}, true},
		"it fails as before":               {gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{lacks}}, true},
		"another file fails as one before": {gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{lacks, also}}, true},
		"a file cannot be read":            {gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{lacks, other}}, false},
		"it broke":                         {gate.Report{Verdict: gate.Error}, false},
		"its program is not installed":     {gate.Report{Verdict: gate.NotRun}, false},
		"it fails without a finding":       {gate.Report{Verdict: gate.Fail}, false},
	} {
		require.Equal(t, test.want, nothingFresh(before, test.after), name)
	}
}

package module

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/tool"
)

// The next attempt is shown the failing lines, and not the beginning of the file.
func TestReadAround_ReadsTheFailingLines(t *testing.T) {
	t.Parallel()
	report := func(findings ...gate.Finding) gate.Report {
		return gate.Report{Gate: "test", Verdict: gate.Fail, Findings: findings}
	}
	read := func(start, end int) wanted {
		return wanted{Provider: "read_file", Args: tool.LookArgs{Path: "src/pay.py", Start: start, End: end}}
	}
	for name, c := range map[string]struct {
		reports []gate.Report
		want    []wanted
	}{
		"the place of a finding":     {[]gate.Report{report(gate.Finding{Path: "src/pay.py", Line: 906, Message: "no"})}, []wanted{read(866, 946)}},
		"a place in a message":       {[]gate.Report{report(gate.Finding{Path: "test_pay.py", Line: 3, Message: "src/pay.py:500: in fee\nFile \"/x/pay.py\", line 510"})}, []wanted{read(460, 550)}},
		"places far apart":           {[]gate.Report{report(gate.Finding{Path: "src/pay.py", Line: 10}, gate.Finding{Path: "src/pay.py", Line: 300})}, []wanted{read(1, 50), read(260, 340)}},
		"another file of that end":   {[]gate.Report{report(gate.Finding{Message: "repay.py:500: no"})}, []wanted{read(0, 0)}},
		"no line is named":           {[]gate.Report{report(gate.Finding{Path: "src/pay.py", Message: "no"})}, []wanted{read(0, 0)}},
		"what passed says nothing":   {[]gate.Report{{Verdict: gate.Pass, Findings: []gate.Finding{{Path: "src/pay.py", Line: 9}}}}, []wanted{read(0, 0)}},
		"more than is worth reading": {[]gate.Report{report(gate.Finding{Path: "src/pay.py", Line: 100}, gate.Finding{Path: "src/pay.py", Line: 300}, gate.Finding{Path: "src/pay.py", Line: 500}, gate.Finding{Path: "src/pay.py", Line: 700})}, []wanted{read(60, 140), read(260, 340), read(460, 540)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New(judge.NewGates(nil), &work.Job{Run: &work.Run{}}, 0, 0)
			m.History.Verdicts = []work.Verdict{{Reports: c.reports}}
			require.Equal(t, c.want, m.explorer.readAround("src/pay.py"))
		})
	}
}

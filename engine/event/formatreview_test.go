package event_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
)

// A reviewer's findings are printed once, also if it accepts the change, and so are the omitted ones.
func TestFormatter_PrintsAReview(t *testing.T) {
	t.Parallel()
	formatter := event.NewFormatter()
	var told []string
	report := gate.Report{
		Gate: "review", Verdict: gate.Fail, Summary: "it is \x1bwrong", Output: "an issue was left out",
		Findings: []gate.Finding{
			{Path: "a", Line: 2, Severity: gate.SeverityError, Rule: "test", Message: "no"},
			{Path: "b", Line: 1, Severity: gate.SeverityWarning, Message: "hm"},
		},
	}
	for _, d := range []event.Data{
		event.Reviewed{Node: "review", Report: report},
		event.NodeChanged{Node: graph.Node{ID: "review", Status: graph.Blocked, Reason: "not accepted: it is\na:2: error: no\nb:1: warning: hm"}},
		event.Reviewed{Node: "review", Report: gate.Report{Gate: "review", Verdict: gate.NotRun, Summary: "nobody was asked"}},
		event.SpecKept{Version: 2, Changelog: "Refunds."},
	} {
		for _, l := range formatter.Format(event.Event{Data: d}) {
			told = append(told, strings.TrimSpace(l.Text))
		}
	}
	require.Empty(t, cmp.Diff([]string{
		`✗ review    it is \u001bwrong`, "a:2: error: no", "b:1: warning: hm", "an issue was left out",
		"✗ review       BLOCKED: not accepted: it is",
		"⊘ review    nobody was asked",
		"specification: version 2: Refunds.",
	}, told))
}

package judge

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
)

// WithSilenced adds the report "silenced" if a change adds comments that suppress findings of tools. It passes, because there may be
// reasons: the reviewer and the user see it.
func (ps *Promises) WithSilenced(n graph.Node, reports []gate.Report) []gate.Report {
	report := gate.Report{Gate: integrity.RuleSilenced, Verdict: gate.Pass}
	for _, f := range ps.Now.ToReview().Files {
		report.Findings = append(report.Findings, integrity.Silenced(f)...)
	}
	if len(report.Findings) == 0 {
		return reports
	}
	report.Executed, report.Passed = 1, 1
	report.Summary = work.Shorten(report.Findings[0].String(), 180)
	if more := len(report.Findings) - 1; more > 0 {
		report.Summary += fmt.Sprintf(", and %d more", more)
	}
	ps.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	return append(slices.Clip(reports), report)
}

// Silences shows the reviewer what the change suppresses.
func Silences(reports []gate.Report) (sections []prompt.Section) {
	for _, report := range reports {
		if report.Gate != integrity.RuleSilenced {
			continue
		}
		var lines []string
		for _, f := range report.Findings {
			lines = append(lines, f.String())
		}
		sections = append(sections, prompt.Section{Kind: prompt.Errors, Name: "Warnings that the change suppresses; is there a reason for each?",
			Text: strings.Join(lines[:min(len(lines), work.MaxFindings)], "\n"), Data: true})
	}
	return sections
}

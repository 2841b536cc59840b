package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
)

// The limits for showing one failed gate.
const (
	MaxFindings = 20
	MaxOutput   = 2000 // bytes
)

// Describe describes the gates' reports: one line each, and for failures their places, or the end of
// the output if no place is known.
func Describe(reports []gate.Report) string {
	var text strings.Builder
	for _, r := range reports {
		if r.Verdict == gate.NotRun && r.Empty {
			continue
		}
		verdict := r.Verdict.String()
		if !r.Decides() && r.Verdict != gate.Pass {
			verdict += " (advisory)"
		}
		fmt.Fprintf(&text, "%s: %s: %s\n", r.Gate, verdict, r.Summary)
		if r.Verdict == gate.Pass {
			continue
		}
		for i, f := range r.Findings {
			if i == MaxFindings {
				fmt.Fprintf(&text, "  … and %d more\n", len(r.Findings)-i)
				break
			}
			text.WriteString("  " + retold(f) + "\n")
		}
		if len(r.Findings) == 0 && r.Output != "" {
			text.WriteString(r.Output[max(0, len(r.Output)-MaxOutput):] + "\n")
		}
	}
	return strings.TrimRight(text.String(), "\n")
}

// ordinary is the rule of findings of tests that ran and failed.
const ordinary = "test"

// retold returns a finding with its kind, if neither its place nor its message contains it: "a_test.go:7: m.TestA: panic: boom".
// The name of a test implies an ordinary failure.
func retold(f gate.Finding) string {
	if f.Test != "" && strings.HasPrefix(f.Message, f.Test+" ") {
		f.Test = "" // the message begins with it
	}
	if f.Rule == "" || f.Rule == ordinary || f.Test == "" || strings.Contains(f.Message, f.Rule) {
		return f.String()
	}
	message := strings.TrimSpace(f.Message)
	f.Message = f.Rule + ": " + message
	return f.String()
}

// Deciding returns the reports that decide.
func Deciding(reports []gate.Report) []gate.Report {
	return slices.DeleteFunc(slices.Clone(reports), func(report gate.Report) bool { return !report.Decides() })
}

// FaultReport returns a report in place of a gate's, for an attempt that failed before the gates, or that a reader rejected.
func FaultReport(of, reason string, findings ...gate.Finding) gate.Report {
	return gate.Report{Gate: of, Verdict: gate.Fail, Executed: 1, Summary: reason, Findings: findings}
}

// Waived is the summary of a gate that the user's settings waive.
const Waived = "waived in your settings"

// IsWaived reports whether a gate was waived after the run began: it decides nothing.
func IsWaived(r gate.Report) bool { return r.Verdict == gate.NotRun && r.Summary == Waived }

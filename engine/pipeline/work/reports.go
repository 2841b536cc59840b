package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
)

// The most that is shown of one failed gate.
const (
	MaxFindings = 20
	MaxOutput   = 2000 // bytes
)

// Describe says what gates said: a line each, and for those that did not pass where the tree does not
// hold, or the end of the output where no place is known.
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

// ordinary is the rule of findings of tests that ran, and did not hold.
const ordinary = "test"

// retold is a finding with what kind it is, where neither its place nor its message says so: "a_test.go:7: m.TestA: panic: boom". That a test
// failed as tests do is said by its name.
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

// Deciding are the reports that decide.
func Deciding(reports []gate.Report) []gate.Report {
	return slices.DeleteFunc(slices.Clone(reports), func(report gate.Report) bool { return !report.Decides() })
}

// FaultReport is a report in the place of a gate's, for an attempt that did not come so far or that a reader did not accept.
func FaultReport(of, reason string, findings ...gate.Finding) gate.Report {
	return gate.Report{Gate: of, Verdict: gate.Fail, Executed: 1, Summary: reason, Findings: findings}
}

// Waived is the summary of a gate that is not run because the user's settings waive it.
const Waived = "waived in your settings"

// IsWaived reports whether a gate was waived after the run began: it decides nothing.
func IsWaived(r gate.Report) bool { return r.Verdict == gate.NotRun && r.Summary == Waived }

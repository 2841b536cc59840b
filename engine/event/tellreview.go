package event

import (
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/internal/inert"
)

// opinion prints a model's result that is not a change: a review, or a version of the specification.
func (t *Teller) opinion(d Data) {
	switch d := d.(type) {
	case Reviewed:
		t.review(d)
	case SpecKept:
		t.say(PhaseRun, "", Info, "specification: version %d: %s", d.Version, inert.Text(d.Changelog))
	}
}

// review prints a reviewer's findings: its warnings too, if it accepts the change.
func (t *Teller) review(d Reviewed) {
	r := d.Report
	severity, mild := verdictSeverities[r.Verdict]
	if !mild {
		severity = Error
	}
	t.say(PhaseGate, d.Node, severity, "    %s %-9s %s", verdictMarks[r.Verdict], r.Gate, inert.Text(r.Summary))
	for i, f := range r.Findings {
		line := issue(f)
		t.told[line] = true
		if i < maxShown {
			t.say(PhaseGate, d.Node, severity, "        %s", inert.Text(line))
		}
	}
	if n := len(r.Findings) - maxShown; n > 0 {
		t.say(PhaseGate, d.Node, severity, "        … and %d more", n)
	}
	if r.Output != "" {
		t.say(PhaseGate, d.Node, Warning, "        %s", inert.Text(r.Output))
	}
}

// issue returns a reviewer's finding as it is in the reason of a node.
func issue(f gate.Finding) string {
	severity := "warning"
	if f.Severity == gate.SeverityError {
		severity = "error"
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, severity, strings.TrimSpace(f.Message))
}

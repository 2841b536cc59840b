package integrity

import (
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

// RuleSilenced is the rule of the findings of Silenced.
const RuleSilenced = "silenced"

// Silenced finds the lines that a change adds and that silence a tool. Each may have a reason, so the findings are warnings.
func Silenced(f patch.FileChange) (found []gate.Finding) {
	had := map[string]int{}
	for line := range strings.Lines(f.Before) {
		had[strings.TrimSpace(line)]++
	}
	number := 0
	for line := range strings.Lines(f.After) {
		number++
		line = strings.TrimSpace(line)
		said := gate.Silence(f.Path, line)
		if said == "" {
			continue
		}
		if had[line]--; had[line] < 0 {
			found = append(found, gate.Finding{Path: f.Path, Line: number, Severity: gate.SeverityWarning, Rule: RuleSilenced,
				Message: fmt.Sprintf("the change adds %.60q, which silences what a tool would say here", said)})
		}
	}
	return found
}

package review

import (
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"forge/engine/gate"
	"forge/internal/inert"
	"forge/lsp/editor"
)

var diagnosticSeverities = map[gate.Severity]protocol.DiagnosticSeverity{
	gate.SeverityError:   protocol.DiagnosticSeverityError,
	gate.SeverityWarning: protocol.DiagnosticSeverityWarning,
	gate.SeverityInfo:    protocol.DiagnosticSeverityInformation,
}

// findingsIn are the findings in one file, by gate, as diagnostics of the text as it is now. What a gate has found in several
// parts of a plan is shown once.
func (b *Board) findingsIn(p place, index *editor.Lines) []protocol.Diagnostic {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.findings[p.folder]
	var list []protocol.Diagnostic
	shown := map[string][]gate.Finding{} // by gate
	for _, by := range slices.SortedFunc(maps.Keys(all), compareSources) {
		for _, finding := range all[by] {
			if finding.Path == p.path && !slices.Contains(shown[by.Name], finding) {
				shown[by.Name] = append(shown[by.Name], finding)
				list = append(list, findingDiagnostic(by.Name, finding, index))
			}
		}
	}
	return list
}

// findingDiagnostic shows a finding from its column to the end of its line. The gate saw the run's
// text, not the user's: a line that is not there is shown at the end of what is.
func findingDiagnostic(name string, finding gate.Finding, index *editor.Lines) protocol.Diagnostic {
	severity, known := diagnosticSeverities[finding.Severity]
	if !known {
		severity = protocol.DiagnosticSeverityError
	}
	where := index.LineFrom(finding.Line, finding.Column)
	if finding.EndLine > finding.Line {
		where.End = index.LineFrom(finding.EndLine, 1).End
	}
	d := protocol.Diagnostic{
		Range:    where,
		Severity: severity,
		Source:   protocol.NewOptional(sourceOf(name)),
		Message:  protocol.String(inert.Text(finding.Message)),
	}
	if finding.Rule != "" {
		d.Code = protocol.String(inert.Text(finding.Rule))
	}
	return d
}

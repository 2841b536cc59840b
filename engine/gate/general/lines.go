package general

import (
	"regexp"
	"strconv"
	"strings"

	"forge/engine/gate"
)

// parseLines reads each line with the user's expression.
func parseLines(pattern *regexp.Regexp, name, output string, p place) (found []gate.Finding, checks int) {
	for line := range strings.Lines(output) {
		m := pattern.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := pattern.SubexpIndex(name); i >= 0 {
				return strings.TrimSpace(m[i])
			}
			return ""
		}
		checks += number(group("checks"))
		if group("message") == "" {
			continue
		}
		f := gate.Finding{Severity: severityOf(group("severity")), Rule: group("rule"), Message: p.root.Inert(group("message"))}
		if f.Rule == "" {
			f.Rule = name
		}
		if rel, ok := p.rel(group("path")); ok {
			f.Path, f.Line, f.Column = rel, max(1, number(group("line"))), number(group("col"))
		}
		found = append(found, f)
	}
	return found, checks
}

// most limits numbers, so that their sums do not overflow.
const most = 1 << 30

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0
	}
	return n
}

func severityOf(word string) gate.Severity {
	switch strings.ToLower(word) {
	case "warning", "warn", "w":
		return gate.SeverityWarning
	case "note", "info", "style", "hint", "i":
		return gate.SeverityInfo
	}
	return gate.SeverityError
}

package dialogue

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// The limits of the failures that an attempt sees.
const (
	maxPlaces      = 12    // shown with the code around them
	maxErrorBytes  = 12000 // of the section
	maxSummedFiles = 8     // in the summary of the rest
)

// Place is a line of the attempt's tree, or a test without one, with a failure.
type Place struct {
	At       step.Location
	gate     string
	findings []gate.Finding // the findings there, of any gate; at least one
}

// Pick chooses the places to show from failed reports, in order, each once; the rest are findings of other places.
func Pick(reports []gate.Report) (places []Place, rest []gate.Finding) {
	for _, report := range reports {
		if report.Verdict == gate.Pass {
			continue
		}
		for _, f := range report.Findings {
			here := step.Location{Path: f.Path, Line: f.Line}
			known := slices.IndexFunc(places, func(p Place) bool { return p.same(here, f) })
			switch {
			case known >= 0:
				places[known].findings = append(places[known].findings, f)
			case len(places) < maxPlaces:
				places = append(places, Place{At: here, gate: report.Gate, findings: []gate.Finding{f}})
			default:
				rest = append(rest, f)
			}
		}
	}
	return places, rest
}

// same reports whether a finding is at this place. Without a line, the message distinguishes places.
func (p Place) same(here step.Location, f gate.Finding) bool {
	return p.At == here && (here.Line > 0 || p.findings[0].Message == f.Message && p.findings[0].Test == f.Test)
}

// Render renders reports with their places, within the limits; the rest is summed up. What several failures have in common, such as a stack trace, is shown once.
func Render(reports []gate.Report, places []Place, scopes map[step.Location]step.Scope, rest []gate.Finding) string {
	var text strings.Builder
	var shown []string
	for _, report := range reports {
		if report.Verdict == gate.Pass {
			continue
		}
		fmt.Fprintf(&text, "%s: %s: %s\n", report.Gate, report.Verdict, report.Summary)
		if len(report.Findings) == 0 && report.Output != "" {
			text.WriteString(report.Output[max(0, len(report.Output)-work.MaxOutput):] + "\n")
		}
		for _, p := range places {
			if p.gate != report.Gate {
				continue
			}
			if part, traces := p.render(scopes, shown); text.Len()+len(part) <= maxErrorBytes {
				text.WriteString(part)
				shown = append(shown, traces...)
			} else {
				rest = append(rest, p.findings...)
			}
		}
	}
	text.WriteString(sumUp(rest))
	return strings.TrimRight(text.String(), "\n")
}

// sameTrace stands for the lines below the first of a failure if they are those of an earlier one.
const sameTrace = "[… the same lines as above]"

// render returns the place with its findings and the code around it, and the lines below the first of each finding. Those that were shown before are left out.
func (p Place) render(scopes map[step.Location]step.Scope, shown []string) (part string, traces []string) {
	var text strings.Builder
	said := map[string]bool{}
	for _, f := range p.findings {
		whole := f.String()
		line := work.Condense(whole, work.MaxMessage)
		if said[line] {
			continue
		}
		said[line] = true
		if first, trace, long := strings.Cut(whole, "\n"); long && len(trace) > len(sameTrace) {
			if slices.Contains(shown, trace) || slices.Contains(traces, trace) {
				line = work.Condense(first, work.MaxMessage) + "\n" + sameTrace
			} else {
				traces = append(traces, trace)
			}
		}
		text.WriteString("  " + strings.ReplaceAll(line, "\n", "\n  ") + "\n")
	}
	scope, known := scopes[p.At]
	if !known {
		return text.String(), traces
	}
	if scope.Header != "" {
		fmt.Fprintf(&text, "    in %s\n", scope.Header)
	}
	text.WriteString("    " + strings.ReplaceAll(scope.Lines, "\n", "\n    ") + "\n")
	return text.String(), traces
}

// sumUp returns the number of findings that are not shown, and their files.
func sumUp(rest []gate.Finding) string {
	if len(rest) == 0 {
		return ""
	}
	var paths []string
	times := map[string]int{}
	for _, f := range rest {
		if times[f.Path]++; times[f.Path] == 1 {
			paths = append(paths, f.Path)
		}
	}
	var parts []string
	for i, p := range paths {
		if i == maxSummedFiles {
			parts = append(parts, fmt.Sprintf("others in %d more files", len(paths)-i))
			break
		}
		name := p
		if name == "" {
			name = "no named file"
		}
		parts = append(parts, fmt.Sprintf("%d in %s", times[p], name))
	}
	return fmt.Sprintf("… and %d more findings: %s\n", len(rest), strings.Join(parts, ", "))
}

// Numbered returns the lines of a text from first to last, from 1 and inclusive, with their numbers; a last of 0 is
// the end. Models name lines reliably only if they see the numbers.
func Numbered(text string, first, last int) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n < first || last > 0 && n > last {
			continue
		}
		fmt.Fprintf(&b, "%5d | %s\n", n, strings.TrimRight(line, "\r\n"))
	}
	return b.String()
}

// numberedWindows is Numbered for excerpts, each below a line with its line numbers.
func numberedWindows(text string) string {
	var b strings.Builder
	n, last := 0, -1 // the line before, and the last one of its excerpt
	for line := range strings.Lines(text) {
		var first, to, of int
		if n >= last {
			if _, err := fmt.Sscanf(line, "[lines %d to %d of %d]", &first, &to, &of); err == nil {
				n, last = first-1, to
				b.WriteString(line)
				continue
			}
		}
		n++
		fmt.Fprintf(&b, "%5d | %s\n", n, strings.TrimRight(line, "\r\n"))
	}
	return b.String()
}

// numberedDiff returns a change as a unified diff in which each remaining line has its number.
func numberedDiff(c patch.ChangeSet, context int) string {
	var b strings.Builder
	for _, f := range c.Files {
		next := 0
		for line := range strings.Lines(patch.Unified(f, context)) {
			line = strings.TrimRight(line, "\r\n")
			if start, is := hunkStart(line); is {
				next = start
				continue
			}
			switch {
			case next == 0: // the head of the file
				b.WriteString(line + "\n")
			case strings.HasPrefix(line, "-"):
				fmt.Fprintf(&b, "      -| %s\n", line[1:])
			case strings.HasPrefix(line, "+"):
				fmt.Fprintf(&b, "%5d +| %s\n", next, line[1:])
				next++
			case strings.HasPrefix(line, " "):
				fmt.Fprintf(&b, "%5d  | %s\n", next, line[1:])
				next++
			}
		}
	}
	return b.String()
}

// hunkStart parses the beginning of a hunk in the new file: "@@ -1,2 +3,4 @@".
func hunkStart(line string) (start int, is bool) {
	if !strings.HasPrefix(line, "@@ -") {
		return 0, false
	}
	_, after, found := strings.Cut(line, " +")
	if !found {
		return 0, false
	}
	if _, err := fmt.Sscanf(after, "%d", &start); err != nil {
		return 0, false
	}
	return max(start, 1), true
}

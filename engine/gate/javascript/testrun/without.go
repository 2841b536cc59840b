package testrun

import (
	"slices"
	"strings"

	"forge/engine/gate"
)

// Without returns the text of a test file in which the failing imports in some lines import what exists and omit the rest; all other lines
// are where they were. A test that uses a missing name then fails by itself, and the others run. It is not ok if a line is in no import at the
// top level.
func Without(text string, faults []int) (rest string, ok bool) {
	all := gate.Imports("test.ts", text)
	for _, at := range slices.Backward(all) {
		first := 1 + strings.Count(text[:at.Start], "\n")
		last := first + strings.Count(text[at.Start:at.End], "\n")
		inLines := func(fault int) bool { return first <= fault && fault <= last }
		if slices.ContainsFunc(faults, inLines) {
			faults = slices.DeleteFunc(slices.Clone(faults), inLines)
			text = text[:at.Start] + tolerant(at) + strings.Repeat("\n", last-first) + text[at.End:]
			ok = true
		}
	}
	return text, ok && len(faults) == 0
}

// tolerant returns an import, in one line, whose names are undefined if they are missing.
func tolerant(i gate.Import) string {
	var parts []string
	whole := ""
	for _, b := range i.Names {
		switch b.Name {
		case "":
			whole = b.As
		case b.As:
			parts = append(parts, b.As)
		default:
			parts = append(parts, b.Name+": "+b.As)
		}
	}
	module := `await import("` + i.From + `").catch(() => ({}))`
	if i.Requires {
		module = `(() => { try { return require("` + i.From + `"); } catch { return {}; } })()`
	}
	var lines []string
	if whole != "" {
		lines = append(lines, "const "+whole+" = "+module+";")
	}
	if len(parts) > 0 {
		lines = append(lines, "const { "+strings.Join(parts, ", ")+" } = "+module+";")
	}
	return strings.Join(lines, " ")
}

package overseer

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

// Failure is one failed check, as gates report it.
type Failure struct {
	Gate   string // "go test"
	File   string
	Symbol string // the test, or the symbol
	Class  string // of the error: a rule's name, or a message
}

// ID identifies the failure in a way that survives edits elsewhere: without line and column numbers, addresses and durations.
func (f Failure) ID() string {
	parts := []string{f.Gate, f.File, f.Symbol, f.Class}
	for i, p := range parts {
		parts[i] = Normalise(p)
	}
	return strings.Join(parts, " | ")
}

// volatile matches what differs between two reports of the same failure: 0xc000123, 1.25s, ":12:5",
// "(12,5)", "line 12", "column 3", "L12".
var volatile = lazyregexp.New(`(?i)0x[0-9a-f]+|\b\d+(\.\d+)?(ns|µs|ms|s)\b|:\d+(:\d+)?|\(\d+(,\s*\d+)?\)|\b(lines?|columns?|col)\s+\d+(\s*[-–]\s*\d+)?|\bL\d+\b`)

// Normalise returns a text on one line without what differs between two reports of the same failure.
func Normalise(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(volatile.ReplaceAllString(text, ""), "|", "/")), " ")
}

// FailuresOf returns the failures in reports, in order and without duplicates. A report that is no pass and names no place is a
// failure of its gate as a whole.
func FailuresOf(reports []gate.Report) (failures []Failure) {
	seen := map[string]bool{}
	add := func(f Failure) {
		if id := f.ID(); !seen[id] {
			seen[id] = true
			failures = append(failures, f)
		}
	}
	for _, r := range reports {
		if r.Verdict == gate.Pass {
			continue
		}
		for _, f := range r.Findings {
			add(FailureOf(r.Gate, f))
		}
		if len(r.Findings) == 0 {
			add(Failure{Gate: r.Gate, Class: r.Verdict.String() + ": " + firstLine(r.Summary)})
		}
	}
	return failures
}

// FailureOf returns the failure of a finding of a gate. A failed test is identified by its name and the way in which it fails: the values in
// its message change with every edit, even without a fix.
func FailureOf(gateName string, f gate.Finding) Failure {
	class := f.Rule
	switch {
	case f.Test != "":
		class = wayOf(f.Message)
	case class == "":
		class = firstLine(f.Message)
	default:
		class += ": " + firstLine(f.Message)
	}
	return Failure{Gate: gateName, File: f.Path, Symbol: f.Test, Class: class}
}

// The ways in which a test fails without a fault of its own.
const (
	TimeOut      = "time-out"
	DoesNotBuild = "does not build"
)

// ways in which a test fails that are not its assertions.
var ways = []struct {
	name  string
	words []string
}{
	{"panic", []string{"panic:", "panicked at", "segmentation", "sigsegv", "stack overflow"}},
	{TimeOut, []string{"timed out", "timeout", "deadline exceeded", "deadlock"}},
	{DoesNotBuild, []string{"build failed", "cannot find module", "modulenotfounderror", "importerror", "syntaxerror"}},
}

func wayOf(message string) string {
	lower := strings.ToLower(message)
	for _, w := range ways {
		if slices.ContainsFunc(w.words, func(word string) bool { return strings.Contains(lower, word) }) {
			return w.name
		}
	}
	return "assertion"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

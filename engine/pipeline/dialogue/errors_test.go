package dialogue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/gate"
	"forge/engine/step"
)

func finding(path string, line int, message string) gate.Finding {
	return gate.Finding{Path: path, Line: line, Severity: gate.SeverityError, Message: message}
}

func TestErrors_Section(t *testing.T) {
	t.Parallel()
	reports := []gate.Report{
		{Gate: "gofmt", Verdict: gate.Pass, Summary: "all is formatted", Findings: []gate.Finding{finding("ok.go", 1, "known before")}},
		{Gate: "go vet", Verdict: gate.Fail, Summary: "2 findings", Findings: []gate.Finding{finding("a.go", 7, "bad verb"), finding("a.go", 7, "bad verb")}},
		{Gate: "go build", Verdict: gate.Fail, Summary: "it does not build", Findings: []gate.Finding{finding("a.go", 7, "undefined: x"), finding("b.go", 2, "unused y")}},
		{Gate: "go test", Verdict: gate.Error, Summary: "took too long", Output: "…\nlast words"},
	}
	places, rest := Pick(reports)
	require.Empty(t, rest)
	scopes := map[step.Location]step.Scope{{Path: "a.go", Line: 7}: {Header: "func Sum(values []int) int {", Lines: "  6 | for {\n> 7 | total -= v  <-- here\n  8 | }"}}
	require.Equal(t, strings.TrimSpace(`
go vet: fail: 2 findings
  a.go:7: bad verb
  a.go:7: undefined: x
    in func Sum(values []int) int {
      6 | for {
    > 7 | total -= v  <-- here
      8 | }
go build: fail: it does not build
  b.go:2: unused y
go test: error: took too long
…
last words`), Render(reports, places, scopes, rest))
}

// A trace that several failures have, at one place or at several, is shown with the first of them.
func TestErrors_SectionShowsATraceOnce(t *testing.T) {
	t.Parallel()
	trace := "\n" + strings.Repeat("in a frame of the loader\n", 4)
	report := gate.Report{Gate: "go test", Verdict: gate.Fail, Summary: "it fails", Findings: []gate.Finding{
		finding("a.go", 7, "one"+trace), finding("a.go", 7, "two"+trace), finding("b.go", 2, "three"+trace), finding("b.go", 3, "four"+trace+"in another frame"),
	}}
	places, rest := Pick([]gate.Report{report})
	text := Render([]gate.Report{report}, places, nil, rest)
	require.Equal(t, 2, strings.Count(text, "in a frame of the loader\n  in a frame of the loader\n  in a frame of the loader\n"), text)
	require.Contains(t, text, "  a.go:7: two\n  [… the same lines as above]\n  b.go:2: three\n  [… the same lines as above]\n  b.go:3: four\n  in a frame")
}

// However much fails, the section is within its limit, each place stands in it once, and what is left out is counted.
func TestErrors_SectionIsWithinItsLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		report := gate.Report{Gate: "go vet", Verdict: gate.Fail, Summary: "it fails"}
		for range rapid.IntRange(0, 60).Draw(t, "findings") {
			report.Findings = append(report.Findings, finding(fmt.Sprintf("f%d.go", rapid.IntRange(0, 12).Draw(t, "file")),
				rapid.IntRange(0, 20).Draw(t, "line"), strings.Repeat("x", rapid.IntRange(1, 3000).Draw(t, "message"))))
		}
		places, rest := Pick([]gate.Report{report})
		text := Render([]gate.Report{report}, places, nil, rest)
		require.LessOrEqual(t, len(text), maxErrorBytes+600)
		kept := 0
		seen := map[string]bool{}
		for _, p := range places {
			kept += len(p.findings)
			if p.At.Line > 0 {
				key := fmt.Sprint(p.At)
				require.False(t, seen[key])
				seen[key] = true
			}
		}
		require.Equal(t, len(report.Findings), kept+len(rest))
		require.LessOrEqual(t, len(places), maxPlaces)
		require.Equal(t, len(rest) > 0 || len(text) < sizeOf(places), strings.Contains(text, "more findings"))
	})
}

func sizeOf(places []Place) (sum int) {
	for _, p := range places {
		part, _ := p.render(nil, nil)
		sum += len(part)
	}
	return sum
}

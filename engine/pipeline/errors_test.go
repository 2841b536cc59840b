package pipeline

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

func TestTheErrorSection(t *testing.T) {
	t.Parallel()
	reports := []gate.Report{
		{Gate: "gofmt", Verdict: gate.Pass, Summary: "all is formatted", Findings: []gate.Finding{finding("ok.go", 1, "known before")}},
		{Gate: "go vet", Verdict: gate.Fail, Summary: "2 findings", Findings: []gate.Finding{finding("a.go", 7, "bad verb"), finding("a.go", 7, "bad verb")}},
		{Gate: "go build", Verdict: gate.Fail, Summary: "it does not build", Findings: []gate.Finding{finding("a.go", 7, "undefined: x"), finding("b.go", 2, "unused y")}},
		{Gate: "go test", Verdict: gate.Error, Summary: "took too long", Output: "…\nlast words"},
	}
	places, rest := pick(reports)
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
last words`), render(reports, places, scopes, rest))
}

// However much fails, the section is within its limit, each place stands in it once, and what is left out is counted.
func TestTheErrorSectionIsWithinItsLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		report := gate.Report{Gate: "go vet", Verdict: gate.Fail, Summary: "it fails"}
		for range rapid.IntRange(0, 60).Draw(t, "findings") {
			report.Findings = append(report.Findings, finding(fmt.Sprintf("f%d.go", rapid.IntRange(0, 12).Draw(t, "file")),
				rapid.IntRange(0, 20).Draw(t, "line"), strings.Repeat("x", rapid.IntRange(1, 3000).Draw(t, "message"))))
		}
		places, rest := pick([]gate.Report{report})
		text := render([]gate.Report{report}, places, nil, rest)
		require.LessOrEqual(t, len(text), maxErrorBytes+600)
		kept := 0
		seen := map[string]bool{}
		for _, p := range places {
			kept += len(p.findings)
			if p.at.Line > 0 {
				key := fmt.Sprint(p.at)
				require.False(t, seen[key])
				seen[key] = true
			}
		}
		require.Equal(t, len(report.Findings), kept+len(rest))
		require.LessOrEqual(t, len(places), maxPlaces)
		require.Equal(t, len(rest) > 0 || len(text) < sizeOf(places), strings.Contains(text, "more findings"))
	})
}

func sizeOf(places []place) (sum int) {
	for _, p := range places {
		sum += len(p.String(nil))
	}
	return sum
}

// The section is the last of a prompt, says which attempt it is, and shows the code as the attempt had it. What an earlier prompt begins with
// stays as it was.
func TestTheErrorSectionIsLast(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeRight+reviewPass)
	e.run(t)
	prompts := e.prompts("executor")
	last := prompts[2][strings.LastIndex(prompts[2], "\n## "):]
	require.True(t, strings.HasPrefix(last, "\n## Attempt 2 of 3. Why the last one was not accepted"), last)
	require.Contains(t, last, "test: fail: tests fail\n  b_test:1: b_test: want two in b\n    > 1 | two  <-- here")
	require.NotContains(t, prompts[1], "Why the last one was not accepted")
	stable := prompts[1]
	require.True(t, strings.HasPrefix(prompts[2], stable[:len(stable)-1]), "the prefix is the same, byte for byte")
}

func TestWhatWeakensATest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"skip the failing test":                          true,
		"Delete test cases that fail":                    true,
		"relax the assertion":                            true,
		"comment out the test":                           true,
		"change the test to expect 4":                    true,
		"disable flaky tests":                            true,
		"do not skip the test":                           false,
		"mend it without changing tests":                 false,
		"change the parser so that the test passes":      false,
		"delete the cache before each lookup; test it":   false,
		"the test fails because Sum ignores its input":   false,
		"never delete tests; change the loop in Sum":     false,
		"rather than relax the assertion, mend the code": false,
	} {
		require.Equal(t, want, weakens(text), text)
	}
}

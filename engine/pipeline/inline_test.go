package pipeline

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/gate"
)

// inBrackets takes what stands in [brackets] for tests, and in (parentheses) for examples.
func inBrackets(_, text string) (parts []gate.Part) {
	for _, m := range regexp.MustCompile(`\[[^\]]*\]|\([^)]*\)`).FindAllStringIndex(text, -1) {
		parts = append(parts, gate.Part{Start: m[0], End: m[1], Example: text[m[0]] == '('})
	}
	return parts
}

// A whole run in which tests and code are one file: the tests are written, seen red and frozen; and code in the same file is work.
func TestInline_TestsAndCodeInOneFile(t *testing.T) {
	t.Parallel()
	suite := gateFunc{"test", func(files map[string]string) gate.Report {
		code, test, _ := strings.Cut(files["a"], "[")
		report := gate.Report{Verdict: gate.Pass, Tests: true, Executed: 1, Passed: 1, PassedTests: []string{"one"}}
		if test = strings.TrimRight(test, "]\n"); test != "" {
			report.Executed++
			if strings.Contains(code, test) {
				report.Passed, report.PassedTests = 2, append(report.PassedTests, test)
			} else {
				report.Verdict, report.Findings = gate.Fail, []gate.Finding{{Path: "a", Line: 1, Test: test, Message: "it is not there"}}
			}
		}
		return report
	}}
	const tests = `
- {match: {node: executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [{path: a, action: write, content: "one\n[two]\n"}]}}}`
	e := newEpisode(t, decideExecutor+tests+
		reply(implementing, `explanation: i, files: [{path: a, action: write, content: "one\n[one]\n"}]`)+
		reply("tests are frozen while the change is implemented", `explanation: i, files: [{path: a, action: write, content: "one two\n[two]\n"}]`)+reviewPass)
	files := map[string]string{"a": "one\n"}
	e.env.Project.Suites[0].Inline = inBrackets
	e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
	e.kit.Gate = func(string) gate.Gate { return suite }
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, gate.Pass, e.finished("red")[0].Verdict)
	require.Equal(t, gate.Pass, e.finished("held")[0].Verdict)
}

// inOneFile is an episode in which the file a has the code, and its tests and examples: words that the code must have.
func inOneFile(t *testing.T, script string, files map[string]string) *episode {
	t.Helper()
	e := newEpisode(t, script)
	e.env.Project.Suites[0].Inline = inBrackets
	e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(maps.Clone(files)), nil }}
	e.kit.Gate = func(string) gate.Gate {
		return gateFunc{"test", func(files map[string]string) gate.Report {
			text := files["a"]
			code := regexp.MustCompile(`\[[^\]]*\]|\([^)]*\)`).ReplaceAllString(text, "")
			report := gate.Report{Verdict: gate.Pass, Tests: true}
			examples := 0
			for _, part := range inBrackets("a", text) {
				word := text[part.Start+1 : part.End-1]
				test := word
				if part.Example {
					examples++
					test = fmt.Sprintf("m::doc a - example #%d", examples)
				}
				report.Executed++
				if strings.Contains(code, word) {
					report.Passed, report.PassedTests = report.Passed+1, append(report.PassedTests, test)
					continue
				}
				report.Verdict, report.Findings = gate.Fail, append(report.Findings, gate.Finding{Path: "a", Line: 1, Test: test, Message: word + " is not there"})
			}
			return report
		}}
	}
	return e
}

// The prompt for tests mentions tests in files of code where there are some, and only there.
func TestInline_TheAuthorOfTestsIsToldOfTestsInCode(t *testing.T) {
	t.Parallel()
	const told = "Those that state the old behaviour are changed in this step"
	e := inOneFile(t, decideExecutor+reply("You write tests", `explanation: t, files: [{path: a, action: write, content: "one\n[one]\n[two]\n"}]`)+
		reply(implementing, `explanation: i, files: [{path: a, action: write, content: "one two\n[one]\n[two]\n"}]`)+reviewPass, map[string]string{"a": "one\n[one]\n"})
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	prompts := e.prompts("executor")
	require.Contains(t, prompts[0], told)
	require.NotContains(t, prompts[1], told, "the implementation does not change them")

	e = newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.NotContains(t, e.prompts("executor")[0], told)
}

// An example in documentation that states what is to change is replaced if its new text was seen to fail before; one that is weakened beside it
// is not.
func TestInline_AnExampleIsReplacedIfItWasSeenToFail(t *testing.T) {
	t.Parallel()
	const before, code = "one two\n(one)\n(two)\n", "uno two\n"
	for name, c := range map[string]struct {
		tests, code string
		accepted    bool
	}{
		"one changes":                         {"(uno)\n(two)\n", "(uno)\n(two)\n", true},
		"one changes, one is added":           {"(uno)\n(two)\n(uno two)\n", "(uno)\n(two)\n(uno two)\n", true},
		"one changes, the code brings one":    {"(uno)\n(two)\n", "(uno)\n(two)\n(o)\n", true},
		"one is weakened beside it":           {"(uno)\n(o)\n", "(uno)\n(o)\n", false},
		"one is removed beside it":            {"(uno)\n", "(uno)\n", false},
		"one that fails hides a weakened one": {"(uno)\n(o)\n(two)\n", "(uno)\n(o)\n(two)\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			write := func(text string) string {
				return fmt.Sprintf("explanation: a states what is to change, files: [{path: a, action: write, content: %q}]", text)
			}
			e := inOneFile(t, decideExecutor+reply("You write tests", write("one two\n"+c.tests))+reply(implementing, write(code+c.code))+reviewPass, map[string]string{"a": before})
			e.env.Attempts = 1
			result := e.run(t)
			found := e.finished("regression")
			if c.accepted {
				require.Len(t, found, 1)
				require.Equal(t, event.Succeeded, result.State, result.Reason)
				require.Equal(t, "1 existing test changed: m::doc a - example #1", found[0].Summary)
				return
			}
			require.NotEqual(t, event.Succeeded, result.State)
			for _, report := range found { // the gate held has found a missing one before
				require.Equal(t, "the change takes something out of the tests in a", report.Summary)
			}
		})
	}
}

// A test that got more lines must pass without them: if it cannot be run to its end as it was, the change is not accepted for that.
func TestInline_ATestThatCannotBeRunAsItWasIsNoPass(t *testing.T) {
	t.Parallel()
	suite := gateFunc{"test", func(files map[string]string) gate.Report {
		code := regexp.MustCompile(`\[[^\]]*\]`).ReplaceAllString(files["a"], "")
		report := gate.Report{Verdict: gate.Pass, Tests: true}
		for _, part := range inBrackets("a", files["a"]) {
			test, lines, _ := strings.Cut(files["a"][part.Start+1:part.End-1], "\n")
			skipped := strings.Contains(lines, "skip")
			switch {
			case test == "one" && !skipped && strings.Contains(code, "HANGS"):
				return gate.Report{Verdict: gate.Error, Tests: true, Summary: "it reached its time limit"}
			case skipped || strings.Contains(code, strings.ToUpper(test)):
				report.Passed, report.PassedTests = report.Passed+1, append(report.PassedTests, test)
			default:
				report.Verdict, report.Findings = gate.Fail, append(report.Findings, gate.Finding{Path: "a", Line: 1, Test: test, Message: test + " is not there"})
			}
			report.Executed++
		}
		return report
	}}
	for code, refused := range map[string]string{
		"ONE TWO\n":       "",
		"ONE TWO HANGS\n": "the tests in a pass as they are today, and could not be run with this change: it reached its time limit",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			write := func(code string) string {
				return fmt.Sprintf("explanation: one may end early, files: [{path: a, action: write, content: %q}]", code+"[one\n  skip\n  check\n]\n[two\n  check\n]\n")
			}
			e := newEpisode(t, decideExecutor+reply("You write tests", write("ONE\n"))+reply(implementing, write(code))+reviewPass)
			e.env.Project.Suites[0].Inline, e.env.Attempts = inBrackets, 1
			e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) {
				return newTree(map[string]string{"a": "ONE\n[one\n  check\n]\n"}), nil
			}}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			require.Equal(t, refused == "", result.State == event.Succeeded, result.Reason)
			require.Contains(t, result.Reason, refused)
		})
	}
}

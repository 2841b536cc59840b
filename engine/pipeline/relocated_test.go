package pipeline

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/mode"
)

// The test file of a function that moves, before and after.
const (
	ofAge   = "import { split } from '../src/age.js'\n\ntest('splits', () => {\n  equal(split('a b'), 2)\n})\n\ntest('joins', () => {\n  equal(split('a'), 1)\n})\n"
	ofSplit = "import { split } from '../src/split.js'\n\ntest('splits', () => {\n  equal(split('a b'), 2)\n})\n\ntest('joins', () => {\n  equal(split('a'), 1)\n})\n"
)

var titles = regexp.MustCompile(`(?m)^test\('(\w+)'`)

// loadingGate runs files of tests as a runner of JavaScript does: none of a file's tests runs if an import of it fails.
func loadingGate(files map[string]string) gate.Report {
	report := gate.Report{Gate: "test", Verdict: gate.Pass, Tests: true}
	for path, text := range files {
		if !strings.HasSuffix(path, ".test.js") {
			continue
		}
		if message := unloadable(files, path, text); message != "" {
			report.Verdict = gate.Fail
			report.Findings = append(report.Findings, gate.Finding{Path: path, Line: 1, Severity: gate.SeverityError, Rule: "load", Message: message})
			continue
		}
		for _, m := range titles.FindAllStringSubmatch(text, -1) {
			report.PassedTests = append(report.PassedTests, path+" > "+m[1])
		}
	}
	slices.Sort(report.PassedTests)
	report.Passed = len(report.PassedTests)
	report.Executed = report.Passed
	return report
}

func unloadable(files map[string]string, path, text string) string {
	for _, i := range gate.Imports(path, text) {
		module, is := files[gate.Module(path, i.From)+".js"]
		switch {
		case !is:
			return fmt.Sprintf("Error: Cannot find module '%s' imported from %s", i.From, path)
		case !strings.Contains(module, "export function "+i.Names[0].Name):
			return fmt.Sprintf("SyntaxError: The requested module '%s' does not provide an export named '%s'", i.From, i.Names[0].Name)
		}
	}
	return ""
}

// A refactoring moves a function, and the tests of it are the same, but for their import: the user sees why they did not load as they were,
// once, and without an answer the change is taken. Weakened ones are refused, with what helps; who refuses those has not refused the others.
func TestRelocated_TestsImportFromElsewhere(t *testing.T) {
	t.Parallel()
	const code = `{path: src/age.js, action: write, content: "const AGE = 1"}, {path: src/split.js, action: create, content: "export function split() {}"}`
	answer := func(tests string) string {
		return fmt.Sprintf("explanation: test/age.test.js imports from elsewhere, files: [{path: test/age.test.js, action: write, content: %q}, %s]", tests, code)
	}
	weakened := answer(strings.ReplaceAll(ofSplit, "equal(", "split("))
	for name, c := range map[string]struct {
		script string
		asked  []string // the titles of the questions
	}{
		"at once":        {reply("belongs into another file", answer(ofSplit)), []string{"2 existing tests changed. Is that wanted?"}},
		"after weakened": {reply("belongs into another file", weakened) + reply("if the task moves it, change only the imports in test/age.test.js", answer(ofSplit)), []string{"2 tests pass today and would not any more. Is that wanted?", "2 existing tests changed. Is that wanted?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+c.script+reviewPass)
			e.task.Text, e.task.Recipe = "split belongs into another file", mode.Refactor
			e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) {
				return newTree(map[string]string{"src/age.js": "export function split() {}", "test/age.test.js": ofAge}), nil
			}}
			e.env.Project.Suites[0].IsTest = func(path string) bool { return strings.HasPrefix(path, "test/") }
			e.kit.Gate = func(string) gate.Gate { return gateFunc{"test", loadingGate} }
			var asked []event.Question
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				asked = append(asked, q)
				return event.Answer{Choice: q.Default}, nil
			})
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Len(t, asked, len(c.asked))
			for i, title := range c.asked {
				require.Equal(t, title, asked[i].Title)
				require.Equal(t, 1, strings.Count(asked[i].Detail, "- 2 tests of test/age.test.js do not load with this change as they were: SyntaxError: The requested module '../src/age.js' does not provide an export named 'split'"))
			}
			require.Contains(t, asked[len(asked)-1].Detail, "only where they import from has changed: test/age.test.js > joins, test/age.test.js > splits.")
			require.Equal(t, result, e.again(t))
		})
	}
}

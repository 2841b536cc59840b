package pipeline

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
)

// listing is a suite that lists a_test instead of running it, if it may.
type listing struct {
	gateFunc
	scopes *[]gate.Scope // in which it ran
}

func (l listing) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	*l.scopes = append(*l.scopes, scope)
	report := l.Run(ctx, tree)
	if !scope.List {
		return report
	}
	report.Listed = []string{"a_test"}
	report.Findings = slices.DeleteFunc(report.Findings, func(f gate.Finding) bool { return f.Test == "a_test" })
	if !slices.Contains(report.PassedTests, "a_test") {
		report.PassedTests = append(report.PassedTests, "a_test")
	}
	if len(report.Findings) == 0 {
		report.Verdict = gate.Pass
	}
	return report
}

// A test that the baseline only lists is run without the change before a change is charged with it: what fails there too is not charged.
func TestListedTest_IsRunWithoutTheChangeBeforeItIsCharged(t *testing.T) {
	t.Parallel()
	right := writeRight
	breaking := strings.Replace(writeRight, "files: [", "files: [{path: a, action: write, content: zero}, ", 1)
	for name, test := range map[string]struct {
		write  string
		broken bool // a_test fails on every tree
		state  event.State
		runs   int // without List
	}{
		"it passes":                {right, false, event.Succeeded, 2}, // with the tests, and with the change
		"it fails on both":         {right, true, event.Succeeded, 3},
		"it fails with the change": {breaking, false, event.Failed, 4}, // and alone
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+test.write+reviewPass)
			e.env.Attempts = 1
			var scopes []gate.Scope
			suite := listing{gateFunc{"test", func(files map[string]string) gate.Report {
				if test.broken {
					files = maps.Clone(files)
					files["a"] = "zero"
				}
				return namedGate(false).run(files)
			}}, &scopes}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			require.Equal(t, test.state, result.State, result.Reason)
			require.NotEmpty(t, scopes)
			require.True(t, scopes[0].List, "the baseline")
		})
	}
}

// A task that may be about an example of documentation has the examples run before the change.
func TestListedTest_IsRunBeforeATaskAboutExamples(t *testing.T) {
	t.Parallel()
	for task, lists := range map[string]bool{
		"put two into b": true, "the example of b is wrong": false, "fix the docs of b": false, "the redoer of b": true,
	} {
		e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
		e.task.Text = task
		var scopes []gate.Scope
		suite := listing{namedGate(false), &scopes}
		e.kit.Gate = func(string) gate.Gate { return suite }
		e.run(t)
		require.Equal(t, lists, len(scopes) > 0 && scopes[0].List, task)
	}
}

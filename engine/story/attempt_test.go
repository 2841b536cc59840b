package story_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/story"
)

func TestAttemptsAreTold(t *testing.T) {
	t.Parallel()
	teller := story.New()
	var told []string
	for _, d := range []event.Data{
		event.RunStarted{Task: "x", Folder: "/f", Model: "m", Class: event.Class{Kind: "bugfix", Confidence: 0.6}},
		event.TaskClassified{Class: event.Class{Kind: "setup", Confidence: 0.75}},
		event.AttemptJudged{Attempt: 1, Of: 3, Passed: 2, Total: 4, Score: 0.5, Recommendation: "RETRY_WITH_DEBUGGER"},
		event.Diagnosed{Attempt: 2},
		event.AttemptJudged{Attempt: 2, Of: 3, Passed: 1, Total: 4, Score: 0.25, Velocity: -0.25, Stagnation: "same failures", Recommendation: "ESCALATE"},
		event.Diagnosed{Attempt: 3, Class: "missing_context", Reason: "a\x1b[2J", RootCause: "c", Strategy: "s", MustRead: []string{"a.go", "b.go"}},
		event.AttemptJudged{Attempt: 3, Of: 3, Passed: 4, Total: 4, Score: 1, Recommendation: "PASS"},
		event.Learned{Attempt: 3, Patterns: []event.LearnedPattern{{Category: "success_pattern", Text: "bugfix:pay", Successes: 3, Failures: 1, Confidence: 0.666}}},
	} {
		for _, l := range teller.Tell(event.Event{RunID: "r", Data: d}) {
			told = append(told, string(l.Severity)+" "+l.Text)
		}
	}
	require.Empty(t, cmp.Diff([]string{
		"info r  x",
		"info folder /f · model m · bugfix (0.60)",
		"info     taken for setup (0.75)",
		"warning     attempt 1 of 3: 2 of 4 checks hold (score 0.50)",
		"error     attempt 2 of 3: 1 of 4 checks hold (score 0.25, -0.25 per attempt), no nearer: same failures",
		`warning     overseer: missing context: a\u001b[2J`,
		"info     debugger: c; next: s",
		"info     reads a.go, b.go",
		"info     learned: success pattern bugfix:pay (3 held, 1 did not; confidence 0.67)",
	}, told))
}

package event_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

func TestFormatter_PrintsAttempts(t *testing.T) {
	t.Parallel()
	formatter := event.NewFormatter()
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
		for _, l := range formatter.Format(event.Event{RunID: "r", Data: d}) {
			told = append(told, string(l.Severity)+" "+l.Text)
		}
	}
	require.Empty(t, cmp.Diff([]string{
		"info r  x",
		"info folder /f · model m · bugfix",
		"info     taken for: setup",
		"warning     attempt 1 of 3: 2 of 4 checks hold",
		"error     attempt 2 of 3: 1 of 4 checks hold, no progress: same failures",
		`warning     overseer: missing context: a\u001b[2J`,
		"info     debugger: c; next: s",
		"info     reads a.go, b.go",
		"info     memory: 1 pattern judged by this attempt; see forge memory list",
	}, told))
}

func TestFormatter_OmitsAGuessedKindOfWork(t *testing.T) {
	t.Parallel()
	for confidence, want := range map[float64]string{0.36: "folder /f", 0.55: "folder /f · bugfix"} {
		told := event.NewFormatter().Format(event.Event{RunID: "r", Data: event.RunStarted{Task: "x", Folder: "/f", Class: event.Class{Kind: "bugfix", Confidence: confidence}}})
		require.Equal(t, want, told[len(told)-1].Text)
	}
}

func TestFormatter_OmitsAnEmptyLesson(t *testing.T) {
	t.Parallel()
	require.Empty(t, event.NewFormatter().Format(event.Event{RunID: "r", Data: event.Learned{Attempt: 1}}))
}

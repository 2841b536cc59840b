package pipeline

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/event"
	"forge/engine/llm"
)

// moody is a model that gives one of several answers, good and bad, to whatever it is asked.
type moody struct {
	mu    sync.Mutex // guards calls: nodes ask side by side
	draw  func(from []string) string
	calls map[string]int // by node
}

func (m *moody) Name() string { return "moody" }

func (m *moody) Complete(_ context.Context, r llm.Request, _ func(string)) (llm.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[r.Node]++
	answers := moods[r.Node]
	if r.Node == "executor" && strings.Contains(r.Messages[0].Text, "You write tests") {
		answers = moods["tests"]
	}
	return llm.Response{Text: m.draw(answers), Finish: llm.FinishStop}, nil
}

func writes(path, text string) string {
	return fmt.Sprintf(`{"explanation": "e", "files": [{"path": %q, "action": "write", "content": %q}], "patch": "", "blocked": ""}`, path, text)
}

// moods are what the model may say, by node.
var moods = map[string][]string{
	"orchestrator": {`{"action": "executor", "reason": "small"}`},
	"tests":        {writes("b_test", "two"), writes("b_test", "two"), writes("b_test", "two"), writes("a_test", "one"), "nonsense"},
	"executor": {
		writes("b", "oops"), writes("b", "two late"), writes("b", "one two"), writes("b_test", "oops"), writes("b", "one"), "nonsense",
		`{"explanation": "done", "files": [], "patch": "", "blocked": ""}`,
		`{"explanation": "gone", "files": [{"path": "a_test", "action": "delete", "content": ""}], "patch": "", "blocked": ""}`,
	},
	"debugger": {
		`{"rootCause": "c", "hypotheses": [], "fix": "f", "mustRead": ["nowhere"], "strategy": "one way"}`,
		`{"rootCause": "d", "hypotheses": [], "fix": "skip the test", "mustRead": [], "strategy": "another"}`, "nonsense",
		`{"rootCause": "e", "hypotheses": [], "fix": "g", "mustRead": [], "strategy": "quite another thing"}`,
	},
	"overseer": {`{"class": "stuck", "reason": "r"}`, `{"class": "blocked", "reason": "r"}`, "nonsense"},
	"review":   {`{"pass": true, "reason": "good", "issues": []}`, `{"pass": false, "reason": "not last", "issues": []}`, "nonsense"},
}

// However bad a model is: the run ends within its attempts and their repairs, reports why it failed, never accepts a failing change, and
// replays the same.
func TestRun_ModelAsBadAsItMayBe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := newEpisode(t, decideExecutor)
		m := &moody{calls: map[string]int{}, draw: func(from []string) string { return rapid.SampledFrom(from).Draw(rt, "answer") }}
		e.kit.Chooser = llm.Only(m)
		e.check(says("lint", "b", "late", "connection refused"))
		result := e.run(t)
		require.Contains(rt, []event.State{event.Succeeded, event.Blocked, event.Failed}, result.State)
		require.LessOrEqual(rt, m.calls["executor"], 3*(2*3+1), "attempts, each of two phases with two repairs")
		require.LessOrEqual(rt, m.calls["debugger"], 2*3)
		require.LessOrEqual(rt, len(events[event.AttemptJudged](e)), 3)
		if result.State != event.Succeeded {
			require.NotEmpty(rt, result.Reason)
			require.Equal(rt, len(result.Changes.Files) > 0, result.Unverified != "", "what was not accepted says so")
		} else {
			for _, f := range result.Changes.Files {
				require.NotEqual(rt, "a_test", f.Path, "what tested before still does")
				if f.Path == "b" {
					require.Equal(rt, "one two", f.After)
				}
			}
		}
		require.Equal(rt, result, e.again(t))
	})
}

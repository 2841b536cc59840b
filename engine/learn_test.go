package engine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/history"
	"forge/memory"
)

// Lines of scripts beside those of resume_test.go.
const (
	sayWrongly = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: oops again}], patch: "", blocked: ""}}}`
	sayNever = `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: never}], patch: "", blocked: ""}}}`
	sayCause = `
- {match: {node: debugger}, reply: {json: {rootCause: it is misspelled, hypotheses: [], fix: spell it, mustRead: [], strategy: copy the test}}}`
	sayOtherCause = `
- {match: {node: debugger}, reply: {json: {rootCause: it is too short, hypotheses: [], fix: write more, mustRead: [], strategy: begin with one}}}`
)

// prompts are what the model was asked at a node, in order.
func (d *harness) prompts(node string) (texts []string) {
	for _, r := range d.script.Requests() {
		if r.Node != node {
			continue
		}
		text := ""
		for _, m := range r.Messages {
			text += m.Text + "\n"
		}
		texts = append(texts, text)
	}
	return texts
}

// patterns are those of the folder's memory.
func (d *harness) patterns(e *Engine, c memory.Category) []memory.Pattern {
	d.t.Helper()
	m, err := e.Memory(d.t.Context(), d.root)
	require.NoError(d.t, err)
	all, err := m.Patterns(d.t.Context(), c)
	require.NoError(d.t, err)
	return all
}

// forgetAll makes the next run of the folder its first one.
func (d *harness) forgetAll(e *Engine) {
	d.t.Helper()
	rows, err := e.Memories(d.t.Context(), d.root, history.MemoryFilter{Kind: history.Patterns})
	require.NoError(d.t, err)
	for _, row := range rows {
		require.NoError(d.t, e.Forget(d.t.Context(), d.root, row.Scope, string(row.Pattern.ID)))
	}
}

// Lessons of three runs are in the prompts of the fourth; their confidence is counted from verdicts of gates.
func TestLearn_FourthRunUsesLessonsOfThree(t *testing.T) {
	t.Parallel()
	const lesson = "success pattern (strong, 0.80): feature work in the whole folder: "
	d := newHarness(t, strings.Repeat(sayExecutor+sayTests+sayRight+sayPass, 4))
	e := d.open()
	for range 4 {
		result := d.wait(d.start(e))
		require.Equal(t, event.Succeeded, result.State, result.Reason)
	}
	asked := d.prompts("orchestrator")
	require.Len(t, asked, 4)
	require.Contains(t, asked[3], lesson)
	require.Contains(t, asked[3], "gates accepted 3 of 3 attempts; the last one changed b_test, b; checked by ")
	require.Contains(t, d.prompts("executor")[6], lesson, "the executor's prompt has it, too")
	require.NotContains(t, asked[0], "feature work")
	require.NotContains(t, asked[2], lesson, "the twin: after two runs it is not as sure")
	learned := d.patterns(e, memory.SuccessPattern)
	require.Len(t, learned, 1)
	require.Equal(t, [2]int{4, 0}, [2]int{learned[0].Successes, learned[0].Failures})
}

// A lesson that fails is no longer shown.
func TestLearn_LessonThatFailsIsNotShown(t *testing.T) {
	t.Parallel()
	failing := sayExecutor + sayTests + sayWrong + sayWrongly + sayCause + sayNever
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass+failing+sayExecutor+sayTests+sayRight+sayPass)
	e := d.open()
	require.Equal(t, event.Succeeded, d.wait(d.start(e)).State)
	require.Equal(t, event.Failed, d.wait(d.start(e)).State)
	p := d.patterns(e, memory.SuccessPattern)[0]
	require.Equal(t, [2]int{1, 3}, [2]int{p.Successes, p.Failures})
	require.Less(t, p.Confidence, memory.PromptConfidence)
	require.Equal(t, event.Succeeded, d.wait(d.start(e)).State)
	asked := d.prompts("orchestrator")
	require.Contains(t, asked[1], "feature work", "the twin: it was shown while it held")
	require.NotContains(t, asked[2], "feature work")
}

// The edit that turned a failure green is learned, the result of each attempt is kept, and the run reports it.
func TestLearn_FixThatTurnedAFailureGreen(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayWrong+sayRight+sayPass)
	e := d.open()
	run := d.start(e)
	require.Equal(t, event.Succeeded, d.wait(run).State)
	fixes := d.patterns(e, memory.FailurePattern)
	require.Len(t, fixes, 1)
	require.Contains(t, fixes[0].Text, "b_test")
	require.Equal(t, "in b, replace `oops` with `one two`", fixes[0].Fix)
	require.Equal(t, []string{"b", "feature:."}, fixes[0].Tags)
	require.Equal(t, memory.Gate, fixes[0].Source.Origin)

	m, err := e.Memory(t.Context(), d.root)
	require.NoError(t, err)
	attempts, err := m.Attempts(t.Context(), run.ID, "")
	require.NoError(t, err)
	require.Len(t, attempts, 2)
	require.Less(t, attempts[0].Score(), 1.0)
	require.InDelta(t, 1, attempts[1].Score(), 0)
	told := 0
	for _, ev := range run.Log.Since(0) {
		if learned, is := ev.Data.(event.Learned); is {
			told += len(learned.Patterns)
		}
	}
	require.Equal(t, 3, told, "one failure of the work, one success, one fix")
}

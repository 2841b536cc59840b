package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/step"
)

// TestReview_ALargeChangeIsReviewed, and does not end a run that is right otherwise.
func TestReview_ALargeChangeIsReviewed(t *testing.T) {
	t.Parallel()
	data := strings.Repeat(strings.Repeat("x", 4000)+"\\n", 60)
	e := newEpisode(t, decideExecutor+writeTests+`
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}, {path: data, action: create, content: "`+data+`"}], patch: "", blocked: ""}}}`+reviewPass)
	require.Equal(t, "succeeded", string(e.run(t).State))
	prompts := e.prompts("review")
	require.Len(t, prompts, 1)
	require.Contains(t, prompts[0], "The change is too large to be shown whole.")
	require.Contains(t, prompts[0], "+| one two")
}

// A change of many files that no prompt holds is reviewed in parts, and an error in the last one sends it back.
func TestReview_ALargeChangeIsReviewedInParts(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range 4 {
		files = append(files, fmt.Sprintf(`{path: data%d, action: create, content: "%s"}`, i, strings.Repeat(strings.Repeat("x", 400)+"\\n", 120)))
	}
	write := `
- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}, ` + strings.Join(files, ", ") + `], patch: "", blocked: ""}}}`
	e := newEpisode(t, decideExecutor+writeTests+write+reviewPass+reviewPass)
	require.Equal(t, "succeeded", string(e.run(t).State))
	prompts := e.prompts("review")
	require.Len(t, prompts, 2)
	require.Contains(t, prompts[0], "reviewed in 2 parts; this is part 1")
	require.Contains(t, prompts[0], "+| one two")
	require.Contains(t, prompts[1], "this is part 2")
	require.NotContains(t, prompts[1], "+| one two")

	e = newEpisode(t, decideExecutor+writeTests+write+reviewPass+`
- {match: {node: review, contains: [this is part 2]}, reply: {json: {pass: false, reason: data3 is wrong., issues: []}}}
- {match: {node: executor, contains: [You implement, data3 is wrong.]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}], patch: "", blocked: ""}}}`+reviewPass)
	require.Equal(t, "succeeded", string(e.run(t).State))
	require.Len(t, e.prompts("review"), 3)
}

// What fits into no prompt of a small model is reviewed in more parts; the user learns what the reviewer did not see.
func TestReview_ASmallModelSeesAllOrTheUserIsTold(t *testing.T) {
	t.Parallel()
	of := func(n, lines int) string {
		var files []string
		for i := range n {
			files = append(files, fmt.Sprintf(`{path: data%d, action: create, content: "%s"}`, i, strings.Repeat(strings.Repeat("x", 400)+"\\n", lines)))
		}
		return "\n- {match: {node: executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}, " + strings.Join(files, ", ") + "]}}}"
	}
	for name, c := range map[string]struct {
		files, lines, window, prompts int
		note                          string
	}{
		"each part fits":                   {4, 24, 16_000, 2, ""},
		"one file does not":                {1, 150, 16_000, 1, "the change is too large for one review, which saw only the beginning of data0 ("},
		"nor does a part, beside the rest": {1, 10, 3_000, 1, "the end of the change was not reviewed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+of(c.files, c.lines)+strings.Repeat(reviewPass, c.prompts))
			e.env.Windows = map[string]int{"review": c.window}
			e.env.Brief.Guides = []step.Guide{{Name: "AGENTS.md", Text: strings.Repeat("Write clearly.\n", 300)}}
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Len(t, e.prompts("review"), c.prompts)
			require.Equal(t, c.note != "", strings.Contains(result.Review.Output, "review"), result.Review.Output)
			require.Contains(t, result.Review.Output, c.note)
			for _, text := range e.prompts("review") {
				require.Equal(t, strings.HasPrefix(c.note, "the end"), strings.Contains(text, "left out to fit"))
			}
		})
	}
}

// Tests are written again because of an error in them, or because nothing else is the reason; what the user should only know of is no reason.
func TestReview_BlamesTestsForErrorsInThem(t *testing.T) {
	t.Parallel()
	rejects := func(pass bool, issues string) string {
		return fmt.Sprintf("\n- {match: {node: review}, reply: {json: {pass: %t, reason: not yet, issues: [%s]}}}", pass, issues)
	}
	issue := func(path, severity string) string {
		return fmt.Sprintf("{path: %s, startLine: 1, severity: %s, category: test, message: look at it}", path, severity)
	}
	const better = `
- {match: {node: executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [{path: b_test, action: write, content: two at last}]}}}`
	for name, c := range map[string]struct{ opinion, then string }{
		"a warning beside an error":  {rejects(false, issue("b_test", "warning")+", "+issue("b", "error")), writeOther},
		"a warning with a pass":      {rejects(true, issue("b_test", "warning")+", "+issue("b", "error")), writeOther},
		"an error":                   {rejects(false, issue("b_test", "error")), better + writeOther},
		"a warning and nothing else": {rejects(false, issue("b_test", "warning")), better + writeOther},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writeRight+c.opinion+c.then+reviewPass)
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
		})
	}
}

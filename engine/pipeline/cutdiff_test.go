package pipeline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestReviewable_ALargeChangeIsCutWhereItIsLarge(t *testing.T) {
	t.Parallel()
	small := patch.FileChange{Path: "a.go", Before: "one\ntwo\n", After: "one\nthree\n"}
	gone := patch.FileChange{Kind: patch.Delete, Path: "data/old.csv", Before: strings.Repeat("a,b,c\n", 60_000)}
	made := patch.FileChange{Kind: patch.Create, Path: "lock.json", After: strings.Repeat("{}\n", 60_000)}
	all := patch.ChangeSet{Files: []patch.FileChange{gone, small, made}}
	text := reviewable(all, 3, maxReviewed)
	require.LessOrEqual(t, len(text), maxReviewed+1000)
	require.Contains(t, text, numberedDiff(patch.ChangeSet{Files: []patch.FileChange{small}}, 3), "what is small is whole")
	require.Regexp(t, `data/old\.csv: \d+ of 60\d+ lines of the diff are shown`, text)
	require.Regexp(t, `lock\.json: \d+ of 60\d+ lines of the diff are shown`, text)
	few := patch.ChangeSet{Files: []patch.FileChange{small}}
	require.Equal(t, numberedDiff(few, 3), reviewable(few, 3, maxReviewed))
}

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

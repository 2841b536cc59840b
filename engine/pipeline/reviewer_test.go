package pipeline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

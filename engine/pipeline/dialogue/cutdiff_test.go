package dialogue

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
	text := Reviewable(all, 3)
	require.LessOrEqual(t, len(text), maxReviewed+1000)
	require.Contains(t, text, numberedDiff(patch.ChangeSet{Files: []patch.FileChange{small}}, 3), "what is small is whole")
	require.Regexp(t, `data/old\.csv: \d+ of 60\d+ lines of the diff are shown`, text)
	require.Regexp(t, `lock\.json: \d+ of 60\d+ lines of the diff are shown`, text)
	few := patch.ChangeSet{Files: []patch.FileChange{small}}
	require.Equal(t, numberedDiff(few, 3), Reviewable(few, 3))
}

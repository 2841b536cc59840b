package dialogue

import (
	"fmt"
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
	text, unseen := Reviewable(all, 3, maxReviewed)
	require.LessOrEqual(t, len(text), maxReviewed+1000)
	require.Contains(t, text, numberedDiff(patch.ChangeSet{Files: []patch.FileChange{small}}, 3), "what is small is whole")
	require.Regexp(t, `data/old\.csv: \d+ of 60\d+ lines of the diff are shown`, text)
	require.Regexp(t, `lock\.json: \d+ of 60\d+ lines of the diff are shown`, text)
	require.Regexp(t, `^the change is too large for one review, which saw only the beginning of lock\.json \(\d+ of 60\d+ lines of the diff\)$`, unseen)
	few := patch.ChangeSet{Files: []patch.FileChange{small}}
	text, unseen = Reviewable(few, 3, maxReviewed)
	require.Equal(t, numberedDiff(few, 3), text)
	require.Empty(t, unseen)
}

// A change that is too large for one prompt is reviewed in parts of whole files, in which each file is shown once; deleted and generated text makes none.
func TestReviewParts_ShowEachFileOnce(t *testing.T) {
	t.Parallel()
	var large patch.ChangeSet
	for i := range 6 {
		large.Files = append(large.Files, patch.FileChange{Kind: patch.Create, Path: fmt.Sprintf("p%d.go", i), After: strings.Repeat("line of code\n", 2000)})
	}
	parts, unseen := ReviewParts(large, 3, maxReviewed)
	require.Empty(t, unseen)
	require.Greater(t, len(parts), 1)
	for i, f := range large.Files {
		shown := 0
		for _, text := range parts {
			if strings.Contains(text, numberedDiff(patch.ChangeSet{Files: large.Files[i : i+1]}, 3)) {
				shown++
			} else {
				require.Contains(t, text, f.Path, "it is named where it is not shown")
			}
			require.LessOrEqual(t, len(text), maxReviewed+1000)
		}
		require.Equal(t, 1, shown, f.Path)
	}
	require.Contains(t, parts[1], "this is part 2")

	for name, one := range map[string][]patch.FileChange{
		"small":     large.Files[:1],
		"deleted":   {large.Files[0], {Kind: patch.Delete, Path: "old.csv", Before: strings.Repeat("a,b,c\n", 60_000)}},
		"generated": {large.Files[0], {Kind: patch.Create, Path: "lock.json", After: strings.Repeat("{}\n", 60_000)}},
	} {
		c := patch.ChangeSet{Files: one}
		text, _ := Reviewable(c, 3, maxReviewed)
		parts, _ := ReviewParts(c, 3, maxReviewed)
		require.Equal(t, []string{text}, parts, name)
	}
	for range 5 {
		large.Files = append(large.Files, large.Files...)
	}
	parts, unseen = ReviewParts(large, 3, maxReviewed)
	require.Len(t, parts, 1, "more parts than are paid for")
	require.Contains(t, unseen, "saw only the beginning of p0.go")
	require.Contains(t, unseen, "and 187 more files")
}

package dialogue

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

func TestNumberedDiff_CountsLinesOfTheNewFile(t *testing.T) {
	t.Parallel()
	before, after := "a\nb\nc\nd\ne\nf\ng\n", "a\nB\nc\nd\ne\nf\ng\nh\n"
	require.Equal(t, `diff --git a/x b/x
--- a/x
+++ b/x
    1  | a
      -| b
    2 +| B
    3  | c
    7  | g
    8 +| h
`, numberedDiff(patch.ChangeSet{Files: []patch.FileChange{{Path: "x", Before: before, After: after}}}, 1))
}

// Every line that a change adds or leaves beside it is shown with the number that it has afterwards.
func TestNumberedDiff_NumbersAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "@@ -1 +9 @@\n", "-x\n", "+y\n"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		join := func(all []string) (text string) {
			for _, l := range all {
				text += l
			}
			return text
		}
		after := lines.Draw(t, "after")
		before := lines.Draw(t, "before")
		shown := numberedDiff(patch.ChangeSet{Files: []patch.FileChange{{Path: "x", Before: join(before), After: join(after)}}}, 20)
		if join(before) == join(after) {
			require.Empty(t, shown)
			return
		}
		for i, l := range after {
			require.Regexp(t, lineShown(i+1, l), shown)
		}
	})
}

func lineShown(n int, text string) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`(?m)^ *%d [ +]\| %s$`, n, regexp.QuoteMeta(strings.TrimSuffix(text, "\n"))))
}

// Excerpts are numbered from what the line above each says, also where a line of the file looks like one of those.
func TestNumberedWindows_CountFromTheirHeads(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[lines 9 to 10 of 30]\n    9 | a\n   10 | [lines 1 to 2 of 3]\n[lines 20 to 20 of 30]\n   20 | b\n",
		numberedWindows("[lines 9 to 10 of 30]\na\n[lines 1 to 2 of 3]\n[lines 20 to 20 of 30]\nb\n"))
}

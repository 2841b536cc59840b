package patch_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

// wholeLine is a line with its end, or a last one without.
var wholeLine = regexp.MustCompile(`\r\n|[^\r\n]*(\r\n|\r|\n)|[^\r\n]+$`)

// texts draws texts of few different lines, so that lines repeat and diffs have choices, with all kinds
// of line ends.
func texts() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"", "a", "b", "c", "\ta", " ", "ä𝒳", "}", "x\u2028y", "\ufeff"})
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r"})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			b.WriteString(line.Draw(t, "line") + end.Draw(t, "end"))
		}
		if rapid.Bool().Draw(t, "no final end") {
			b.WriteString(line.Draw(t, "last"))
		}
		return b.String()
	})
}

func anyText() *rapid.Generator[string] { return rapid.OneOf(texts(), rapid.String()) }

// changedLines counts the lines that edits remove and add.
func changedLines(before string, edits []patch.Edit) int {
	n := 0
	for _, e := range edits {
		n += len(wholeLine.FindAllString(before[e.Start:e.End], -1)) + len(wholeLine.FindAllString(e.New, -1))
	}
	return n
}

// shortest returns how many lines any edit script from a to b must change, by dynamic programming.
func shortest(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			up := row[j+1]
			row[j+1] = max(up, row[j])
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			}
			diagonal = up
		}
	}
	return len(a) + len(b) - 2*row[len(b)]
}

func TestDiff_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, after := anyText().Draw(t, "before"), anyText().Draw(t, "after")
		checkDiff(t, before, after)
		a, b := wholeLine.FindAllString(before, -1), wholeLine.FindAllString(after, -1)
		require.Equal(t, shortest(a, b), changedLines(before, patch.Diff(before, after)), "as few lines as possible")
		numbers := map[string]int{}
		number := func(lines []string) (all []int) {
			for _, line := range lines {
				if _, known := numbers[line]; !known {
					numbers[line] = len(numbers)
				}
				all = append(all, numbers[line])
			}
			return all
		}
		require.Equal(t, shortest(a, b), patch.Distance(number(a), number(b)))
	})
}

// checkDiff checks all that a diff promises but for its length.
func checkDiff(t require.TestingT, before, after string) {
	edits := patch.Diff(before, after)
	got, err := patch.Apply(before, edits)
	require.NoError(t, err)
	require.Equal(t, after, got)
	bounds := map[int]bool{0: true}
	for _, at := range wholeLine.FindAllStringIndex(before, -1) {
		bounds[at[1]] = true
	}
	end := -1
	for _, e := range edits {
		require.Greater(t, e.Start, end, "edits neither overlap nor touch")
		require.True(t, bounds[e.Start] && bounds[e.End], "edits are whole lines")
		require.NotEqual(t, before[e.Start:e.End], e.New)
		end = e.End
	}
	require.Equal(t, before == after, len(edits) == 0)
}

func TestUnified_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		change := patch.FileChange{Path: "f", Before: anyText().Draw(t, "before"), After: anyText().Draw(t, "after")}
		got, err := applyUnified(change.Before, patch.Unified(change, rapid.IntRange(0, 4).Draw(t, "context")))
		require.NoError(t, err)
		require.Equal(t, change.After, got)
	})
}

func TestMerge_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkMerge(t, texts().Draw(t, "base"), texts().Draw(t, "ours"), texts().Draw(t, "theirs"))
	})
}

func checkMerge(t require.TestingT, base, ours, theirs string) {
	for name, sides := range map[string][2]string{"ours": {ours, base}, "theirs": {base, ours}, "both": {ours, ours}} {
		merged, conflicts := patch.Merge(base, sides[0], sides[1])
		require.Equal(t, ours, merged, "only %s changed", name)
		require.Empty(t, conflicts)
	}
	merged, conflicts := patch.Merge(base, ours, theirs)
	mirrored, mirror := patch.Merge(base, theirs, ours)
	require.Len(t, mirror, len(conflicts))
	lines := wholeLine.FindAllString(base, -1)
	for i, c := range conflicts {
		require.Equal(t, patch.Conflict{StartLine: c.StartLine, EndLine: c.EndLine, Base: c.Base, Ours: c.Theirs, Theirs: c.Ours}, mirror[i])
		require.Equal(t, c.Base, strings.Join(lines[c.StartLine-1:c.EndLine-1], ""), "positions are in the base")
		require.Contains(t, merged, c.Ours, "nothing of ours is lost")
	}
	if len(conflicts) == 0 {
		require.Equal(t, merged, mirrored)
	}
}

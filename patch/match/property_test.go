package match_test

import (
	"fmt"
	"regexp"
	"slices"
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

// edited is a file, some hunks that were made from it, and what they make of it.
type edited struct {
	before, after string
	patch         string
	changed       map[int]bool // lines of before that are removed
}

// edits draws a file whose lines all differ, and a patch of one to three hunks in any order.
func edits() *rapid.Generator[edited] {
	return rapid.Custom(func(t *rapid.T) edited {
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		final := rapid.SampledFrom([]string{"", end}).Draw(t, "final")
		lines := make([]string, rapid.IntRange(12, 30).Draw(t, "lines"))
		for i := range lines {
			lines[i] = fmt.Sprintf("%sline %d$&", strings.Repeat("\t", i%3), i)
		}
		e := edited{before: strings.Join(lines, end) + final, changed: map[int]bool{}}
		after, hunks := slices.Clone(lines), []string{}
		for _, at := range rapid.Permutation([]int{0, 4, 8}).Draw(t, "order")[:rapid.IntRange(1, 3).Draw(t, "hunks")] {
			context, added := rapid.IntRange(0, 1).Draw(t, "context"), rapid.IntRange(0, 2).Draw(t, "added")
			hunk := "@@\n"
			if context == 1 {
				hunk += " " + lines[at] + "\n"
			}
			hunk += "-" + lines[at+1] + "\n"
			after[at+1] = ""
			for i := range added {
				text := fmt.Sprintf("$1 \\0 new %d.%d", at, i)
				hunk += "+" + text + "\n"
				after[at+1] += text + end
			}
			e.changed[at+1] = true
			hunks = append(hunks, hunk+" "+lines[at+2]+"\n")
		}
		for i, line := range after {
			switch {
			case e.changed[i]:
				e.after += line
			case i == len(after)-1:
				e.after += line + final
			default:
				e.after += line + end
			}
		}
		e.patch = "*** Begin Patch\n*** Update File: f\n" + strings.Join(hunks, "") + "*** End Patch\n"
		return e
	})
}

// Hunks in any order give the wanted text, the same once more is refused, and nothing outside the
// lines they name changes.
func TestResolve_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := edits().Draw(t, "edited")
		changes, err := resolve(e.patch, memory{"f": e.before})
		require.NoError(t, err)
		require.Equal(t, e.after, changes.Files[0].After)
		for _, m := range changes.Files[0].Matches {
			require.Equal(t, patch.Exact, m.Level)
		}
		_, err = resolve(e.patch, memory{"f": e.after})
		require.Contains(t, []string{"AlreadyApplied", "NoMatch"}, kindOf(err), "%v", err)
	})
}

// A file in which every line stands twice: whatever the hunk, in whatever order, it is ambiguous.
func TestResolve_AmbiguousProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := edits().Draw(t, "edited")
		twice := strings.TrimRight(e.before, "\r\n") + "\n\n" + e.before
		changes, err := resolve(e.patch, memory{"f": twice})
		require.Equal(t, "Ambiguous", kindOf(err), "%v", err)
		require.Empty(t, changes.Files)
	})
}

// A hunk with one wrong letter in a line it removes changes nothing.
func TestResolve_WrongLetterProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := edits().Draw(t, "edited")
		rows := strings.Split(e.patch, "\n")
		var old []int
		for i, row := range rows {
			if strings.HasPrefix(row, "-") {
				old = append(old, i)
			}
		}
		at := rapid.SampledFrom(old).Draw(t, "row")
		rows[at] = strings.Replace(rows[at], "line", "lime", 1)
		changes, err := resolve(strings.Join(rows, "\n"), memory{"f": e.before})
		require.Equal(t, "NoMatch", kindOf(err), "%v", err)
		require.LessOrEqual(t, len([]rune(err.Error())), 800)
		require.Empty(t, changes.Files)
	})
}

package editor

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/api"
	"forge/patch"
)

func TestTextEdits_TurnOneTextIntoTheOther(t *testing.T) {
	t.Parallel()
	edit := func(line, from, toLine, to uint32, text string) TextEdit {
		return TextEdit{api.Range{Start: api.Position{Line: line, Character: from}, End: api.Position{Line: toLine, Character: to}}, text}
	}
	long := strings.Repeat("0123456789abcdef\n", 8)
	for name, c := range map[string]struct {
		before, after string
		want          []TextEdit
	}{
		"nothing":                         {"a\n", "a\n", []TextEdit{}},
		"a word":                          {"one two\n", "one 2 two\n", []TextEdit{edit(0, 4, 0, 4, "2 ")}},
		"behind an astral character":      {"x\n😀 a\n", "x\n😀 b\n", []TextEdit{edit(1, 3, 1, 4, "b")}},
		"one astral character":            {"😀\n", "😃\n", []TextEdit{edit(0, 0, 0, 2, "😃")}},
		"a line break becomes another":    {"a\r\nb\r\n", "a\nb\r\n", []TextEdit{edit(0, 1, 1, 0, "\n")}},
		"a lone carriage return":          {"a\rb\r", "a\rc\r", []TextEdit{edit(1, 0, 1, 1, "c")}},
		"a line separator is no break":    {"a\u2028b\n", "a\u2028c\n", []TextEdit{edit(0, 2, 0, 3, "c")}},
		"a file is made":                  {"", "a\nb\n", []TextEdit{edit(0, 0, 0, 0, "a\nb\n")}},
		"a file is emptied":               {"a\nb\n", "", []TextEdit{edit(0, 0, 2, 0, "")}},
		"two places":                      {"a\n" + long + "b\n", "A\n" + long + "B\n", []TextEdit{edit(0, 0, 0, 1, "A"), edit(9, 0, 9, 1, "B")}},
		"close by, with much to change":   {"aaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb\n", "cccccccccccccccc-dddddddddddddddd\n", []TextEdit{edit(0, 0, 0, 33, "cccccccccccccccc-dddddddddddddddd")}},
		"close by, with little to change": {"a---b\n", "c---d\n", []TextEdit{edit(0, 0, 0, 1, "c"), edit(0, 4, 0, 5, "d")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, cmp.Diff(c.want, TextEdits(c.before, patch.Diff(c.before, c.after))))
		})
	}
}

// size is how many characters edits delete and insert.
func size(before string, edits []patch.Edit) int {
	n := 0
	for _, e := range edits {
		n += utf8.RuneCountInString(before[e.Start:e.End]) + utf8.RuneCountInString(e.New)
	}
	return n
}

func TestTextEdits_RefinedEditsGiveTheSameText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawText(t, "before"), drawText(t, "after")
		whole := patch.Diff(before, after)
		fine := refine(before, whole)
		got, err := patch.Apply(before, fine)
		require.NoError(t, err)
		require.Equal(t, after, got)
		end := -1
		for _, e := range fine {
			require.Greater(t, e.Start, end, "edits neither overlap nor touch")
			require.NotEqual(t, before[e.Start:e.End], e.New)
			require.True(t, utf8.ValidString(before[e.Start:e.End]) && utf8.ValidString(e.New))
			for _, at := range []int{e.Start, e.End} {
				require.False(t, at > 0 && strings.HasPrefix(before[at:], "\n") && before[at-1] == '\r', "a line break is divided")
			}
			end = e.End
		}
		// Regions that are joined because they are near hold text that both have.
		require.LessOrEqual(t, size(before, fine), size(before, joinNear(before, whole)))
	})
}

// fewest is the textbook's table of how many symbols must be deleted and inserted.
func fewest(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			up := row[j+1]
			if row[j+1] = min(up, row[j]) + 1; x == y {
				row[j+1] = diagonal
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

func TestTextEdits_DifferencesAreMinimal(t *testing.T) {
	t.Parallel()
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("abcd😀\n")), 0, 200, -1) // several words of a row
	rapid.Check(t, func(t *rapid.T) {
		a, b := newSymbols(letters.Draw(t, "a")), newSymbols(letters.Draw(t, "b"))
		n := 0
		for _, g := range a.differences(b, 0) {
			n += g.aTo - g.aFrom + g.bTo - g.bFrom
		}
		require.Equal(t, fewest(a.all, b.all), n)
	})
}

// Texts too large to be compared symbol by symbol are compared from their ends.
func TestTextEdits_ALargeChangeIsOneEdit(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("ab", 5000), strings.Repeat("ac", 5000)
	before, after := "same"+a+"end\n", "same"+b+"end\n"
	require.Equal(t, []patch.Edit{{Start: 5, End: 10004, New: after[5:10004]}}, refine(before, patch.Diff(before, after)))
}

// Changes all over a text stay many edits, however many there are and however near.
func TestTextEdits_ManyChangesStayMany(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	for i := range 20_000 {
		line := fmt.Sprintf("line %d says nothing new\n", i)
		before.WriteString(line)
		if i%2 == 0 {
			line = strings.Replace(line, "nothing", "MUCH", 1)
		}
		after.WriteString(line)
	}
	fine := refine(before.String(), patch.Diff(before.String(), after.String()))
	require.Equal(t, 10_000, len(fine)) //nolint:testifylint // Len prints them all
	require.Equal(t, 10_000*len("nothingMUCH"), size(before.String(), fine))
}

// A rewritten text is one edit: what it has in common with the old one means nothing.
func TestTextEdits_RewrittenTextIsOneEdit(t *testing.T) {
	t.Parallel()
	before := "func total(list []int) int {\n\tsum := 0\n\tfor _, n := range list {\n\t\tsum += n\n\t}\n\treturn sum\n}\n"
	after := "type Reader struct {\n\tunderlying io.Reader\n\tlimit      int64\n}\n\nvar errTooLong = errors.New(\"the text is too long\")\n"
	require.LessOrEqual(t, len(refine(before, patch.Diff(before, after))), 3)
}

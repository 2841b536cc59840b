package patch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestDiff_IsWholeLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before, after string
		want                []patch.Edit
	}{
		{"equal", "a\n", "a\n", nil},
		{"both empty", "", "", nil},
		{"all new", "", "a\nb", []patch.Edit{{New: "a\nb"}}},
		{"all gone", "a\nb", "", []patch.Edit{{End: 3}}},
		{"one line of three", "a\nb\nc\n", "a\nB\nc\n", []patch.Edit{{Start: 2, End: 4, New: "B\n"}}},
		{"neighbours are one edit", "a\nb\nc\nd\n", "a\nB\nC\nd\n", []patch.Edit{{Start: 2, End: 6, New: "B\nC\n"}}},
		{"two edits", "a\nb\nc\n", "A\nb\nC\n", []patch.Edit{{End: 2, New: "A\n"}, {Start: 4, End: 6, New: "C\n"}}},
		{"insertion", "a\nb\n", "a\nx\nb\n", []patch.Edit{{Start: 2, End: 2, New: "x\n"}}},
		{"deletion", "a\nx\nb\n", "a\nb\n", []patch.Edit{{Start: 2, End: 4}}},
		{"line ends belong to lines", "a\r\nb\r\n", "a\nb\r\n", []patch.Edit{{End: 3, New: "a\n"}}},
		{"lone carriage returns", "a\rb\rc", "a\rB\rc", []patch.Edit{{Start: 2, End: 4, New: "B\r"}}},
		{"final line end added", "a\nb", "a\nb\n", []patch.Edit{{Start: 2, End: 3, New: "b\n"}}},
		{"never inside CRLF", "a\r\n", "a\r", []patch.Edit{{End: 3, New: "a\r"}}},
		{"offsets are bytes", "ä𝒳\nb\n", "ä𝒳\nc\n", []patch.Edit{{Start: 7, End: 9, New: "c\n"}}},
		{"shortest script", "a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", []patch.Edit{{End: 2, New: "c\n"}, {Start: 4, End: 6}, {Start: 10, End: 12}, {Start: 14, End: 14, New: "c\n"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := patch.Diff(tt.before, tt.after)
			after, err := patch.Apply(tt.before, got)
			require.NoError(t, err)
			require.Equal(t, tt.after, after)
			if tt.name == "shortest script" { // several are equally short
				require.Equal(t, 5, changedLines(tt.before, got))
				return
			}
			require.Empty(t, cmp.Diff(tt.want, got))
		})
	}
}

func TestApply_RefusesMismatchedText(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string][]patch.Edit{
		"before the text":   {{Start: -1}},
		"behind the text":   {{Start: 3, End: 4}},
		"end before start":  {{Start: 2, End: 1}},
		"not ordered":       {{Start: 2, End: 3}, {Start: 0, End: 1}},
		"overlapping":       {{Start: 0, End: 2}, {Start: 1, End: 3}},
		"insertion inside":  {{Start: 0, End: 2}, {Start: 1, End: 1, New: "x"}},
		"start is negative": {{Start: -2, End: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.Apply("abc", edits)
			require.Error(t, err)
			require.Empty(t, got)
		})
	}
	got, err := patch.Apply("abc", []patch.Edit{{New: "<"}, {New: "$&"}, {End: 1, New: "A"}, {Start: 1, End: 3}, {Start: 3, End: 3, New: ">"}})
	require.NoError(t, err, "touching edits are fine")
	require.Equal(t, "<$&A>", got)
}

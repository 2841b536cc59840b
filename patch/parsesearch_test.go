package patch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

const ab = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"

func TestParseSearchReplace_Blocks(t *testing.T) {
	t.Parallel()
	edit := func(path, search, with string) patch.Replacement {
		return patch.Replacement{Path: path, Search: search, Replace: with}
	}
	tests := []struct {
		name, text string
		want       []patch.Replacement
	}{
		{"plain", "f.go\n" + ab, []patch.Replacement{edit("f.go", "a\n", "b\n")}},
		{"fence below the path", "f.go\n```go\n" + ab + "```\n", []patch.Replacement{edit("f.go", "a\n", "b\n")}},
		{"fence above the path", "Here it is:\n\n```\nf.go\n" + ab + "```\nDone.", []patch.Replacement{edit("f.go", "a\n", "b\n")}},
		{"path in a fence of its own", " ```go\nd/f.go\n```\n```go\n" + ab + "```", []patch.Replacement{edit("d/f.go", "a\n", "b\n")}},
		{"path set off", "### `d/f.go`:\n" + ab, []patch.Replacement{edit("d/f.go", "a\n", "b\n")}},
		{"bold path", "**File: f.go**\n\n" + ab, []patch.Replacement{edit("f.go", "a\n", "b\n")}},
		{"no ending", "Makefile\n" + ab, []patch.Replacement{edit("Makefile", "a\n", "b\n")}},
		{"spaces", "a b/f g.txt\n" + ab, []patch.Replacement{edit("a b/f g.txt", "a\n", "b\n")}},
		{"several", "f\n" + ab + "g\n" + ab, []patch.Replacement{edit("f", "a\n", "b\n"), edit("g", "a\n", "b\n")}},
		{"the same file again", "f.go\n" + ab + "\n...\n\nand then this:\n" + strings.Replace(ab, "a", "c", 1),
			[]patch.Replacement{edit("f.go", "a\n", "b\n"), edit("f.go", "c\n", "b\n")}},
		{"new file", "f.go\n<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE", []patch.Replacement{edit("f.go", "", "b\n")}},
		{"nothing instead", "f.go\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE", []patch.Replacement{edit("f.go", "a\n", "")}},
		{"CRLF", strings.ReplaceAll("f.go\n"+ab, "\n", "\r\n"), []patch.Replacement{edit("f.go", "a\n", "b\n")}},
		{"other markers", "f.go\n<<<<< ORIGINAL\na\n=====\nb\n>>>>> UPDATED  \n", []patch.Replacement{edit("f.go", "a\n", "b\n")}},
		{"markers of git inside", "f.go\n<<<<<<< SEARCH\n<<<<<<< HEAD\n=======\nb\n>>>>>>> REPLACE", []patch.Replacement{edit("f.go", "<<<<<<< HEAD\n", "b\n")}},
		{"rule without a line number", "f.go\n<<<<<<< SEARCH\n-------\n=======\nb\n>>>>>>> REPLACE", []patch.Replacement{edit("f.go", "-------\n", "b\n")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.ParseSearchReplace(tt.text)
			require.NoError(t, err)
			want, err := patch.FromReplacements(tt.want)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}

func TestParseSearchReplace_Hints(t *testing.T) {
	t.Parallel()
	p, err := patch.ParseSearchReplace("f.go\n<<<<<<< SEARCH\n:start_line:12\n:end_line:13\n-------\na\n=======\nb\n>>>>>>> REPLACE")
	require.NoError(t, err)
	require.Equal(t, 12, p.Ops[0].Hunks[0].Near)
	require.Equal(t, &patch.Literal{Old: "a\n", New: "b\n"}, p.Ops[0].Hunks[0].Literal)
}

func TestParseSearchReplace_RefusesWithALine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		line       int
		cause      string
	}{
		{"nothing", "", 1, "no search/replace block found"},
		{"prose", "Use <<<<<<< SEARCH to search.", 1, "no search/replace block found"},
		{"no path", "Here's the change:\n\n```text\n" + ab, 4, "the path is missing"},
		{"dots are no path", "...\n" + ab, 2, "the path is missing"},
		{"cut off in the search", "f\n<<<<<<< SEARCH\na", 3, "incomplete"},
		{"cut off in the replacement", "f\n<<<<<<< SEARCH\na\n=======\nb", 5, "incomplete"},
		{"no divider", "f\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE", 4, "is not complete"},
		{"begun twice", "f\n<<<<<<< SEARCH\na\n" + ab, 4, "is not complete"},
		{"two dividers", "f\n<<<<<<< SEARCH\nTitle\n=======\n=======\nb\n>>>>>>> REPLACE", 5, "a second line"},
		{"outside", "../f\n" + ab, 2, "it leaves the root"},
		{"second block", "f\n" + ab + "f\n<<<<<<< SEARCH\nx\n=======\nx\n>>>>>>> REPLACE", 8, "are the same"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.ParseSearchReplace(tt.text)
			var failed *patch.ParseError
			require.ErrorAs(t, err, &failed)
			require.Empty(t, got.Ops)
			require.Equal(t, tt.line, failed.Line, "%v", err)
			require.Contains(t, failed.Cause, tt.cause)
		})
	}
}

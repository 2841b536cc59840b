package patch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

// block puts lines between the markers of a patch.
func block(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

func TestParse_V4A(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []patch.FileOp
	}{
		{"add", block("*** Add File: a", "+x", "+", "++y"),
			[]patch.FileOp{{Kind: patch.Create, Path: "a", Content: "x\n\n+y\n"}}},
		{"add an empty file", block("*** Add File: a"),
			[]patch.FileOp{{Kind: patch.Create, Path: "a"}}},
		{"add: an empty line inside lost its plus, the ones behind are layout", block("*** Add File: a", "+x", "", "+y", "", "", "*** Delete File: b"),
			[]patch.FileOp{{Kind: patch.Create, Path: "a", Content: "x\n\ny\n"}, {Kind: patch.Delete, Path: "b"}}},
		{"path without ./", block("*** Delete File: ././a b/c.txt  "),
			[]patch.FileOp{{Kind: patch.Delete, Path: "a b/c.txt"}}},
		{"all kinds of line", block("*** Update File: a", "@@", " c", "-r", "+a", "", "--- x", "+++ y", "- *** z"),
			[]patch.FileOp{{Kind: patch.Update, Path: "a", Hunks: []patch.Hunk{{Lines: []patch.Line{
				{Kind: patch.Context, Text: "c"}, {Kind: patch.Remove, Text: "r"}, {Kind: patch.Add, Text: "a"}, {Kind: patch.Context},
				{Kind: patch.Remove, Text: "-- x"}, {Kind: patch.Add, Text: "++ y"}, {Kind: patch.Remove, Text: " *** z"}}}}}}},
		{"move with and end of file", block("*** Update File: a", "", "*** Move to: b", "@@ h", "+x", "*** End of File"),
			[]patch.FileOp{{Kind: patch.Move, Path: "a", To: "b", Hunks: []patch.Hunk{
				{Anchors: []string{"h"}, Lines: []patch.Line{{Kind: patch.Add, Text: "x"}}, EOF: true}}}}},
		{"headers", block("*** Update File: a", "@@", "@@ class A", "@@     def f():  ", "@@", "+x", "@@ -1,2 +3 @@ func g()", "+y", "@@ if x @@", "+z"),
			[]patch.FileOp{{Kind: patch.Update, Path: "a", Hunks: []patch.Hunk{
				{Anchors: []string{"class A", "    def f():", ""}, Lines: []patch.Line{{Kind: patch.Add, Text: "x"}}},
				{Anchors: []string{"func g()"}, Lines: []patch.Line{{Kind: patch.Add, Text: "y"}}},
				{Anchors: []string{"if x"}, Lines: []patch.Line{{Kind: patch.Add, Text: "z"}}}}}}},
		{"empty lines behind an addition are layout", block("*** Update File: a", "@@", "+x", "", "", "@@", "+y", " ", ""),
			[]patch.FileOp{{Kind: patch.Update, Path: "a", Hunks: []patch.Hunk{
				{Lines: []patch.Line{{Kind: patch.Add, Text: "x"}}},
				{Lines: []patch.Line{{Kind: patch.Add, Text: "y"}, {Kind: patch.Context}, {Kind: patch.Context}}}}}}},
		{"a lone carriage return is content", block("*** Add File: a", "+x\ry\r"),
			[]patch.FileOp{{Kind: patch.Create, Path: "a", Content: "x\ry\n"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.Parse(tt.text)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tt.want, got.Ops))
		})
	}
}

func TestParse_RefusesWithALine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		line       int
		cause      string
	}{
		{"nothing", "", 1, "no patch found"},
		{"prose", "I could not do it.\n", 1, "no patch found"},
		{"marker inside a line", "begin with *** Begin Patch\n", 1, "no patch found"},
		{"cut off", "*** Begin Patch\n*** Update File: a\n@@\n-a", 4, "the patch is incomplete"},
		{"empty", "x\n*** Begin Patch\n\n*** End Patch", 4, "the patch is empty"},
		{"empty update", block("*** Update File: a", "*** Delete File: b"), 3, "the update of a is empty"},
		{"empty hunk", block("*** Update File: a", "@@", "*** Delete File: b"), 3, "the hunk is empty"},
		{"hunk of context only", block("*** Update File: a", "@@", " x"), 3, "the hunk is empty"},
		{"hunk header without space", block("*** Update File: a", "@@", "-x", "@@foo", "-y"), 5, "a line of a hunk must begin with"},
		{"hunk header of two ats and more", block("*** Update File: a", "@@@ x", "-y"), 3, "a line of a hunk must begin with"},
		{"second hunk without header", block("*** Update File: a", "@@", "-x", "*** End of File", "-y"), 6, "is not a hunk header"},
		{"line without mark", block("*** Update File: a", "@@", "-x", "y"), 5, "a line of a hunk must begin with"},
		{"tab for a mark", block("*** Update File: a", "@@", "\tx"), 4, "a line of a hunk must begin with"},
		{"new file without plus", block("*** Add File: a", "x"), 3, "must begin with +"},
		{"unknown header", block("*** Rename File: a"), 2, "is not a file header"},
		{"lines before a header", block("hello"), 2, "is not a file header"},
		{"no path", block("*** Delete File:"), 2, "it is empty"},
		{"absolute", block("*** Delete File: /etc/passwd"), 2, "it is absolute"},
		{"move onto itself", block("*** Update File: a", "*** Move to: ./a", "@@", "-x"), 3, "moved onto itself"},
		{"patch in a patch", "*** Begin Patch\n*** Begin Patch\n*** End Patch\n", 2, "is not a file header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.Parse(tt.text)
			var failed *patch.ParseError
			require.ErrorAs(t, err, &failed)
			require.Empty(t, got.Ops)
			require.Equal(t, tt.line, failed.Line, "%v", err)
			require.Contains(t, failed.Cause, tt.cause)
		})
	}
}

func TestParseError_HoldsThePathError(t *testing.T) {
	t.Parallel()
	_, err := patch.Parse(block("*** Delete File: ../x"))
	var refused *patch.PathError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "../x", refused.Path)
}

package patch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// seedPatches are patches that between them use the whole notation.
var seedPatches = []string{
	"",
	"*** Begin Patch\n*** End Patch",
	block("*** Add File: a", "+x", "", "+y"),
	block("*** Delete File: f"),
	block("*** Update File: f", "*** Move to: g", "@@ h", "@@ -1 +1 @@", " c", "-r", "+a", "", "*** End of File"),
	block("*** Update File: f", "@@", "+x", "@@", "--- y", "+++ z"),
	"prose\n```\n  *** Begin Patch \r\n *** Update File: f\r\n-a\r\n+b\r\n *** End Patch\r\n```\n",
	block("*** Update File: f", " a", "-b", "+ä𝒳“”", "@@", "-c"),
	block("*** Add File: ../../.git/config", "+x"),
}

// checkParseError checks that a text that is no patch is reported by its line, and leaves nothing.
func checkParseError(t *testing.T, text string, p patch.Patch, err error) {
	t.Helper()
	var failed *patch.ParseError
	require.ErrorAs(t, err, &failed)
	require.Positive(t, failed.Line)
	require.LessOrEqual(t, failed.Line, strings.Count(text, "\n")+1)
	require.Empty(t, p.Ops)
}

func FuzzParse(f *testing.F) {
	for _, seed := range seedPatches {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := patch.Parse(text)
		if err != nil {
			checkParseError(t, text, p, err)
			return
		}
		require.NotEmpty(t, p.Ops)
		for _, op := range p.Ops {
			require.NoError(t, patch.CheckPath(op.Path))
			require.Equal(t, op.Kind == patch.Move, op.To != "")
			require.True(t, len(op.Hunks) > 0 || op.Kind != patch.Update)
		}
	})
}

func FuzzDiff(f *testing.F) {
	f.Add("", "")
	f.Add("a\nb\nc", "a\r\nb\rc\n")
	f.Add("a\nb\na\nb\n", "b\na\nb\na\n")
	f.Add("\xff\x00\n", "\n\r\n\r")
	f.Fuzz(func(t *testing.T, before, after string) {
		checkDiff(t, before, after)
		change := patch.FileChange{Before: before, After: after, Path: "f"}
		got, err := applyUnified(before, patch.Unified(change, 2))
		require.NoError(t, err)
		require.Equal(t, after, got)
	})
}

func FuzzMerge(f *testing.F) {
	f.Add("", "a", "b")
	f.Add("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")
	f.Add("a\nb\nc\n", "a\nc\n", "a\nB\r\nc")
	f.Add("a\ra\r\na\n", "a\n", "\r\na\r")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		checkMerge(t, base, ours, theirs)
	})
}

package match_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
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

func FuzzParseSearchReplace(f *testing.F) {
	const file = "x\na\n\tb(a)\r\n"
	for _, seed := range []string{"", "f\n" + ab, "```\nf\n" + ab + "```\n" + ab, "f\n<<<<<<< SEARCH\n:start_line:1\n-------\n=======\nx\n>>>>>>> REPLACE"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := patch.ParseSearchReplace(text)
		if err != nil {
			checkParseError(t, text, p, err)
			return
		}
		checkResolved(t, p, file)
	})
}

func FuzzParseUnified(f *testing.F) {
	const file = "x\na\n\tb(a)\r\nx"
	f.Add("")
	f.Add(names + "@@ -1,2 +1 @@ x\n-x\n a\n@@ ... @@\n+y\n\\ No newline at end of file\n")
	f.Add("```\ndiff --git a/f b/g\nrename from f\nrename to g\n" + names + "@@ -9,0 +3 @@\n+y\n\n```\n")
	f.Add("--- /dev/null\n+++ \"b/\\303\\244\"\n@@ -0,0 +1 @@\n+a\n--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := patch.ParseUnified(text)
		if err != nil {
			checkParseError(t, text, p, err)
			return
		}
		for _, op := range p.Ops {
			require.NoError(t, patch.CheckPath(op.Path))
			require.Equal(t, op.Kind == patch.Move, op.To != "")
		}
		checkResolved(t, p, file)
	})
}

func FuzzReplacements(f *testing.F) {
	f.Add("a\nb\n", "a", "b", "b", "c")
	f.Add("a(b)\r\nc", "(b)\n", "", "\r\n", "x")
	f.Fuzz(func(t *testing.T, file, search1, with1, search2, with2 string) {
		p, err := patch.FromReplacements(replace(search1, with1, search2, with2))
		if err != nil {
			require.ErrorAs(t, err, new(*patch.BlockError))
			return
		}
		checkResolved(t, p, file)
	})
}

// checkResolved resolves a patch on the file f and checks what must hold whatever comes of it.
func checkResolved(t *testing.T, p patch.Patch, file string) {
	t.Helper()
	changes, err := match.Resolve(p, memory{"f": file})
	if err != nil {
		require.Empty(t, changes.Files)
		require.LessOrEqual(t, utf8.RuneCountInString(err.Error()), 1000)
		return
	}
	for _, c := range changes.Files {
		require.NoError(t, patch.CheckPath(c.Path))
		require.True(t, utf8.ValidString(c.After) && !strings.Contains(c.After, "\x00"))
		checkDiff(t, c.Before, c.After)
		if c.Path == "f" && c.Kind == patch.Update {
			require.Equal(t, file, c.Before)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, text := range []string{"", "a\nb\nc\n", "a \r\n\tb\r\nc", "\ufeffa\rb", "a\na\na\n", "\x00\xff"} {
		for _, seed := range seedPatches {
			f.Add(seed, text)
		}
	}
	f.Fuzz(func(t *testing.T, text, file string) {
		p, err := patch.Parse(text)
		if err != nil {
			return
		}
		changes, err := match.Resolve(p, memory{"f": file})
		if err != nil {
			require.Empty(t, changes.Files)
			var failed *match.NoMatchError
			if errors.As(err, &failed) {
				require.LessOrEqual(t, utf8.RuneCountInString(err.Error()), 800)
				if failed.Located != nil {
					_, err := patch.Apply(file, []patch.Edit{failed.Located.Edit})
					require.NoError(t, err)
				}
			}
			return
		}
		require.NotEmpty(t, changes.Files)
		for _, c := range changes.Files {
			checkChange(t, p, c, file)
		}
	})
}

// checkChange checks what must hold for any change of the file f.
func checkChange(t *testing.T, p patch.Patch, c patch.FileChange, file string) {
	t.Helper()
	require.NoError(t, patch.CheckPath(c.Path))
	require.True(t, utf8.ValidString(c.After) && !strings.Contains(c.After, "\x00"))
	checkDiff(t, c.Before, c.After)
	if c.Kind == patch.Create {
		require.Empty(t, c.Before)
		return
	}
	require.Equal(t, file, c.Before)
	if c.Kind == patch.Delete {
		require.Empty(t, c.After)
		return
	}
	if strings.HasPrefix(c.Before, "\ufeff") {
		require.True(t, strings.HasPrefix(c.After, "\ufeff"))
	}
	checkOutside(t, p, c)
}

// checkOutside checks that a text changes only between the first and the last line of its hunks.
func checkOutside(t *testing.T, p patch.Patch, c patch.FileChange) {
	t.Helper()
	var hunks []patch.Hunk
	for _, op := range p.Ops {
		hunks = append(hunks, op.Hunks...)
	}
	require.Len(t, c.Matches, len(hunks))
	if len(hunks) == 0 {
		require.Equal(t, c.Before, c.After)
		return
	}
	const mark = "\ufeff" // a byte order mark is no part of the first line
	lines, after := wholeLine.FindAllString(strings.TrimPrefix(c.Before, mark), -1), strings.TrimPrefix(c.After, mark)
	first, last := len(lines), 0
	for i, m := range c.Matches {
		if m.Level == patch.ContextSubset { // the hunk may name fewer lines than it spans
			last = len(lines)
		}
		first, last = min(first, m.Line-1), max(last, m.Line-1)
		for _, l := range hunks[i].Lines {
			if l.Kind != patch.Add {
				last = max(last, m.Line)
				m.Line++
			}
		}
	}
	head := strings.TrimRight(strings.Join(lines[:first], ""), "\r\n") // a last line may get its end
	require.True(t, strings.HasPrefix(after, head))
	require.True(t, strings.HasSuffix(after, strings.Join(lines[min(last, len(lines)):], "")))
}

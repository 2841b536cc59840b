package match_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
	"forge/patch/match"
)

func lines(text ...string) []patch.Line {
	var out []patch.Line
	for _, line := range text {
		out = append(out, patch.Line{Kind: patch.LineKind(line[0]), Text: line[1:]})
	}
	return out
}

const names = "--- a/f\n+++ b/f\n"

func TestParseUnified_Diffs(t *testing.T) {
	t.Parallel()
	update := func(hunks ...patch.Hunk) []patch.FileOp {
		return []patch.FileOp{{Kind: patch.Update, Path: "f", Hunks: hunks}}
	}
	ab := patch.Hunk{Near: 1, Lines: lines("-a", "+b")}
	tests := []struct {
		name, text string
		want       []patch.FileOp
	}{
		{"plain", names + "@@ -1 +1 @@\n-a\n+b\n", update(ab)},
		{"fence and prose", "Here:\n```diff\n" + names + "@@ -1 +1 @@\n-a\n+b\n```\nDone.\n- a\n", update(ab)},
		{"prose behind the counted lines", names + "@@ -1 +1 @@\n-a\n+b\nThat is all.\n", update(ab)},
		{"signature of a mail", names + "@@ -1 +1 @@\n-a\n+b\n-- \n2.39.0\n", update(ab)},
		{"section", names + "@@ -1 +1 @@ func f() {\n-a\n+b\n", update(patch.Hunk{Near: 1, Anchors: []string{"func f() {"}, Lines: ab.Lines})},
		{"no numbers", names + "@@ ... @@\n-a\n+b\n\n", update(patch.Hunk{Lines: ab.Lines})},
		{"counts too small", names + "@@ -1 +1 @@\n-a\n+b\n+c\n\n d\n", update(patch.Hunk{Near: 1, Lines: lines("-a", "+b", "+c", " ", " d")})},
		{"counts too large", names + "@@ -1,9 +1,9 @@\n-a\n+b\n\n\n", update(patch.Hunk{Near: 1, Lines: lines("-a", "+b", " ", " ")})},
		{"blank lines inside", names + "@@ -7,3 +7,3 @@\n-a\n\n+b\n\n", update(patch.Hunk{Near: 7, Lines: lines("-a", " ", "+b", " ")})},
		{"lines like names, counted", names + "@@ -1 +1 @@\n--- a\n+++ b\n", update(patch.Hunk{Near: 1, Lines: lines("--- a", "+++ b")})},
		{"two hunks", names + "@@ -1 +1 @@\n-a\n+b\n@@ -5,2 +5 @@\n-c\n d\n", update(ab, patch.Hunk{Near: 5, Lines: lines("-c", " d")})},
		{"two files", names + "@@ -1 +1 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
			append(update(ab), patch.FileOp{Path: "g", Hunks: []patch.Hunk{ab}})},
		{"names without a and b", "--- d/f g.txt\t2020-01-01\n+++ d/f g.txt\t2020-01-02\n@@ -1 +1 @@\n-a\n+b\n",
			[]patch.FileOp{{Path: "d/f g.txt", Hunks: []patch.Hunk{ab}}}},
		{"folder a", "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-a\n+b\n", []patch.FileOp{{Path: "a/f", Hunks: []patch.Hunk{ab}}}},
		{"quoted", "diff --git \"a/\\303\\244\\\"\" \"b/\\303\\244\\\"\"\nindex 1..2 100644\n--- \"a/\\303\\244\\\"\"\n+++ \"b/\\303\\244\\\"\"\n@@ -1 +1 @@\n-a\n+b\n",
			[]patch.FileOp{{Path: "ä\"", Hunks: []patch.Hunk{ab}}}},
		{"no end on both sides", names + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", update(patch.Hunk{Near: 1, Lines: ab.Lines, Final: patch.EndCut})},
		{"no end before", names + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", update(patch.Hunk{Near: 1, Lines: ab.Lines, Final: patch.EndPut})},
		{"addition", names + "@@ -3,0 +4 @@\n+b\n", update(patch.Hunk{Near: 4, Lines: lines("+b")})},
		{"new", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,3 @@\n+a\n+\n+b\n", []patch.FileOp{{Kind: patch.Create, Path: "f", Content: "a\n\nb\n"}}},
		{"new, no end", "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", []patch.FileOp{{Kind: patch.Create, Path: "f", Content: "a"}}},
		{"new and empty", "diff --git a/d/f b/d/f\nnew file mode 100644\nindex 000..e69\n", []patch.FileOp{{Kind: patch.Create, Path: "d/f"}}},
		{"deleted", "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
			[]patch.FileOp{{Kind: patch.Delete, Path: "f", Hunks: []patch.Hunk{{Near: 1, Lines: lines("-a")}}}}},
		{"renamed", "diff --git a/f b/d/g\nsimilarity index 100%\nrename from f\nrename to d/g\n", []patch.FileOp{{Kind: patch.Move, Path: "f", To: "d/g"}}},
		{"renamed and changed", "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
			[]patch.FileOp{{Kind: patch.Move, Path: "f", To: "g", Hunks: []patch.Hunk{ab}}}},
		{"CRLF", strings.ReplaceAll(names+"@@ -1 +1 @@\n-a\n+b\n", "\n", "\r\n"), update(ab)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.ParseUnified(tt.text)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tt.want, got.Ops))
		})
	}
}

func TestParseUnified_RefusesWithALine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		line       int
		cause      string
	}{
		{"nothing", "", 1, "no unified diff found"},
		{"prose", "- one\n+ two\n", 1, "no unified diff found"},
		{"no path", "@@ -1 +1 @@\n-a\n+b\n", 1, "the path is missing"},
		{"no hunk", names, 1, "is empty"},
		{"empty hunk", names + "@@ -1 +1 @@\n a\n", 3, "the hunk is empty"},
		{"line without mark", names + "@@ -1,3 +1,3 @@\n-a\nb\n+c\n", 5, "must begin with a space"},
		{"line without mark, not counted", names + "@@\n-a\n+b\nc\n", 6, "must begin with a space"},
		{"new file with old lines", "--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", 1, "has old lines"},
		{"only a mode", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", 1, "only the mode"},
		{"binary", "diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n", 3, "only change text"},
		{"copy", "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n", 3, "only change text"},
		{"outside", "--- a/../f\n+++ b/../f\n@@ -1 +1 @@\n-a\n+b\n", 1, "it leaves the root"},
		{"rename outside", "diff --git a/f b/g\nrename from f\nrename to /g\n", 1, "it is absolute"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := patch.ParseUnified(tt.text)
			var failed *patch.ParseError
			require.ErrorAs(t, err, &failed)
			require.Empty(t, got.Ops)
			require.Equal(t, tt.line, failed.Line, "%v", err)
			require.Contains(t, failed.Cause, tt.cause)
		})
	}
}

// applied resolves a unified diff of the file f.
func applied(text, file string) (memory, error) {
	p, err := patch.ParseUnified(text)
	if err != nil {
		return nil, err
	}
	before := memory{"f": file}
	changes, err := match.Resolve(p, before)
	return before.apply(changes), err
}

// far is as many lines as make one place much nearer than another.
var far = strings.Repeat("-\n", 30)

func TestResolve_UnifiedDiffs(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, hunks, want string }{
		{"the number breaks a tie", "a\n-\na\n", "@@ -3 +3 @@\n-a\n+b\n", "a\n-\nb\n"},
		{"a number two lines off, all else far away", "-\na\n" + far + "a\n", "@@ -4 +4 @@\n-a\n+b\n", "-\nb\n" + far + "a\n"},
		{"the number breaks a tie where context differs", "q\na\nk\n" + far + "q\na\nk\n", "@@ -1,4 +1,4 @@\n q\n+A\n-a\n x\n k\n", "q\nA\nk\n" + far + "q\na\nk\n"},
		{"a neighbour shows how far the text has moved", "x\nx\nk\na\nq\na\n", "@@ -1 +1 @@\n-k\n+K\n@@ -4 +4 @@\n-a\n+b\n", "x\nx\nK\na\nq\nb\n"},
		{"a wrong number does not hinder", "x\na\n", "@@ -77 +77 @@\n-a\n+b\n", "x\nb\n"},
		{"a final end is put", "a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"},
		{"a final end is cut", "a\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b"},
		{"no final end, nothing said", "a", "@@ -1 +1 @@\n-a\n+b\n", "b"},
		{"a final end is not cut in the middle", "a\nc\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b\nc\n"},
		{"appended", "a\n", "@@ -1,0 +2 @@\n+b\n", "a\nb\n"},
		{"into an empty file", "", "@@ -0,0 +1 @@\n+b\n", "b\n"},
		{"all removed", "a", "@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := applied(names+tt.hunks, tt.text)
			require.NoError(t, err)
			require.Equal(t, memory{"f": tt.want}, got)
		})
	}
}

func TestResolve_RefusesUnifiedDiffs(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, diff, kind string }{
		{"the number names no place", "a\n-\na\n", names + "@@ -2 +2 @@\n-a\n+b\n", "Ambiguous"},
		{"a number two lines off, another place not far enough", "-\na\n" + far[:20] + "a\n", names + "@@ -4 +4 @@\n-a\n+b\n", "Ambiguous"},
		{"a number four lines off", "-\na\n" + far + "a\n", names + "@@ -6 +6 @@\n-a\n+b\n", "Ambiguous"},
		{"the number names no place where context differs", "q\na\nk\n" + far + "q\na\nk\n", names + "@@ -17,4 +17,4 @@\n q\n+A\n-a\n x\n k\n", "Ambiguous"},
		{"a number alone, in the middle", "a\nb\n", names + "@@ -1,0 +2 @@\n+x\n", "NoMatch"},
		{"a number alone, at the begin", "a\nb\n", names + "@@ -0,0 +1 @@\n+x\n", "NoMatch"},
		{"deleted, but it has more lines", "a\nb\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "NoMatch"},
		{"deleted, but it has other lines", "b\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "NoMatch"},
		{"new, but it is there", "a\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "Exists"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := applied(tt.diff, tt.text)
			require.Equal(t, tt.kind, kindOf(err), "%v", err)
			require.Equal(t, memory{"f": tt.text}, got)
		})
	}
}

// A printed diff that is read again makes the same text, or is refused; it never makes another.
func TestUnified_RoundTripProperty(t *testing.T) {
	t.Parallel()
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "-- a", "++ b", "\\", "@@ -1 +1 @@", "```"}), 0, 9).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		if before == after {
			t.Skip("no change")
		}
		diff := patch.Unified(patch.FileChange{Path: "f", Before: before, After: after}, rapid.IntRange(0, 3).Draw(t, "context"))
		got, err := applied(diff, before)
		if err != nil {
			require.Contains(t, []string{"AlreadyApplied", "NoMatch", "NoChange"}, kindOf(err), "%v\n%s", err, diff)
			return
		}
		require.Equal(t, after, got["f"], diff)
	})
}

func TestParseAny_KnowsTheFormat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       patch.Format
	}{
		{"V4A", "Here:\n" + block("*** Update File: f", "@@", "-a", "+b"), patch.V4A},
		{"search and replace", "f\n```\n" + ab + "```\n", patch.SearchReplace},
		{"unified", "```diff\n" + names + "@@ -1 +1 @@\n-a\n+b\n```\n", patch.UnifiedDiff},
		{"git", "diff --git a/f b/g\nrename from f\nrename to g\n", patch.UnifiedDiff},
		{"V4A with another notation in it", block("*** Add File: f", "+--- a/f", "++++ b/f", "+<<<<<<< SEARCH"), patch.V4A},
		{"actions", "[" + createA + "]", patch.Actions},
		{"actions in a fence", "Here:\n```json\n  {\"files\": [" + createA + "]}\n```\n", patch.Actions},
		{"actions that hold V4A", patches("*** Begin Patch", "*** Update File: f", "@@", "-a", "*** End Patch"), patch.Actions},
		{"actions, then another notation", createA + "\n" + "\nf\n" + ab, patch.Actions},
		{"V4A with actions in it", block("*** Update File: f", "@@", " ["+createA+"]", "-a"), patch.V4A},
		{"V4A of a list", block("*** Add File: f", "+["+createA+"]"), patch.V4A},
		{"V4A, then actions", block("*** Delete File: f") + "\n[" + createA + "]", patch.V4A},
		{"V4A below other JSON", "{\"path\": \"f\"}\n[{\"name\": \"x\"}]\n" + block("*** Delete File: f"), patch.V4A},
		{"V4A below broken JSON", "[{\"path\": ...\n" + block("*** Delete File: f"), patch.V4A},
		{"a block that writes actions", "f.json\n<<<<<<< SEARCH\n=======\n[" + createA + "]\n>>>>>>> REPLACE\n", patch.SearchReplace},
		{"a diff that writes actions", names + "@@ -1 +1 @@\n-a\n+[" + createA + "]\n", patch.UnifiedDiff},
		{"a diff of such blocks", names + "@@ -1 +1 @@\n-<<<<<<< SEARCH\n+=======\n", patch.UnifiedDiff},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, format, err := patch.ParseAny(tt.text)
			require.NoError(t, err)
			require.Equal(t, tt.want, format)
			require.NotEmpty(t, p.Ops)
		})
	}
	for text, want := range map[string]patch.Format{
		`[{"path": "a", "action": "del`: patch.Actions, "[{\"path\": \"a\",, \"action\": \"delete\"}]": patch.Actions,
		`{"name": "x"}`: "", `[{"path": "a"}]`: "", "[]": "",
		"*** Update File: f\n@@\n [" + createA + "]\n-a\n": patch.UnifiedDiff, // it lost its begin; the list is context
		"": "", "prose - only\n": "", "*** Begin Patch\n": patch.V4A, "<<<<<<< SEARCH\n": patch.SearchReplace, "@@ x\n": patch.UnifiedDiff} {
		p, format, err := patch.ParseAny(text)
		require.ErrorAs(t, err, new(*patch.ParseError))
		require.Equal(t, want, format)
		require.Empty(t, p.Ops)
	}
	_, format, err := patch.ParseAny(`[{"action": "delete"}]`)
	require.ErrorAs(t, err, new(*patch.ActionError), "a near list gets the reason why it is none")
	require.Equal(t, patch.Actions, format)
}

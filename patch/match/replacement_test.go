package match_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
	"forge/patch/match"
)

// replace makes replacements of pairs of texts in the file f.
func replace(pairs ...string) []patch.Replacement {
	var list []patch.Replacement
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, patch.Replacement{Path: "f", Search: pairs[i], Replace: pairs[i+1]})
	}
	return list
}

// replaced returns the file f after replacements.
func replaced(text string, pairs ...string) (patch.FileChange, error) {
	p, err := patch.FromReplacements(replace(pairs...))
	if err != nil {
		return patch.FileChange{}, err
	}
	changes, err := match.Resolve(p, memory{"f": text})
	if err != nil {
		return patch.FileChange{}, err
	}
	return changes.Files[0], nil
}

func TestFromReplacements_Resolved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		pairs      []string
		want       string
		level      patch.Level
	}{
		{"whole lines", "a\nb\nc\n", []string{"a\nb\n", "a\nB\n"}, "a\nB\nc\n", patch.Exact},
		{"whole lines, no ends", "a\nb\nc\n", []string{"b", "B"}, "a\nB\nc\n", patch.Exact},
		{"a whole line wins over part of one", "ab\na\n", []string{"a", "A"}, "ab\nA\n", patch.Exact},
		{"nothing for a line", "a\nb\nc\n", []string{"b", ""}, "a\nc\n", patch.Exact},
		{"nothing for a line and its end", "a\nb\nc\n", []string{"b\n", ""}, "a\nc\n", patch.Exact},
		{"an empty line goes too", "a\n\nb\n", []string{"a\n", "A"}, "A\nb\n", patch.Exact},
		{"an end is missing, no empty line there", "a\nb\n", []string{"a\n", "A"}, "A\nb\n", patch.Exact},
		{"an end is missing, the text stands elsewhere too", "ba\na\nb\n", []string{"a\n", "A"}, "ba\nA\nb\n", patch.TrailingSpace},
		{"trailing space in context stays", "a  \nb\nc\n", []string{"a\nb\n", "a\nB\n"}, "a  \nB\nc\n", patch.TrailingSpace},
		{"dedented", "\tif a {\n\t\tb\n\t}\n", []string{"if a {\n\tb\n}\n", "if a {\n\tc\n}\n"}, "\tif a {\n\t\tc\n\t}\n", patch.Indentation},
		{"a line that is moved keeps its bytes", "a('x')\nb\nc\nd\n", []string{"a(’x’)\nb\nc\nd\n", "b\nB\nc\na(’x’)\nd\n"}, "b\nB\nc\na('x')\nd\n", patch.Unicode},
		{"a line of the context is written again", "a('x')\nb\n", []string{"a(’x’)\nb\n", "a(’x’)\na(’x’)\nb\n"}, "a('x')\na(’x’)\nb\n", patch.Unicode},
		{"part of a line", "x := f(a, b)\n", []string{"f(a, b)", "g(b)"}, "x := g(b)\n", patch.Exact},
		{"part of a line, over several", "f(a,\n  b) + c\n", []string{"a,\n  b", "b"}, "f(b) + c\n", patch.Exact},
		{"part of a line in a CRLF file", "x(a)\r\ny\r\n", []string{"(a)", "(\na)"}, "x(\r\na)\r\ny\r\n", patch.Exact},
		{"parts of lines in a CRLF file", "x(a,\r\nb)\r\n", []string{"a,\nb", "c,\nd"}, "x(c,\r\nd)\r\n", patch.Exact},
		{"the end of a search inside a line", "x a\ny\n", []string{"a\n", "b"}, "x b\ny\n", patch.Exact},
		{"from the end of a line", "a\r\nb\nc", []string{"\r\nb", "+"}, "a+\nc", patch.Exact},
		{"CRLF file", "a\r\nb\r\n", []string{"a\nb\n", "a\nB\nC\n"}, "a\r\nB\r\nC\r\n", patch.Exact},
		{"CRLF search", "a\nb\n", []string{"a\r\nb\r\n", "a\r\nB\r\nC\r\n"}, "a\nB\nC\n", patch.Exact},
		{"mixed ends, byte for byte", "a\r\nb\nc\r\nd\r\n", []string{"a\r\nb\nc\r\n", "a\nB\nc\r\n"}, "a\nB\nc\r\nd\r\n", patch.Exact},
		{"only the ends", "a\r\nb\r\n", []string{"a\r\nb\r\n", "a\nb\n"}, "a\nb\n", patch.Exact},
		{"the whole text", "a", []string{"a", "a\r\nb"}, "a\r\nb", patch.Exact},
		{"no final end", "a\nb", []string{"b\n", "B\n"}, "a\nB", patch.Exact},
		{"byte order mark", "\ufeffa\n", []string{"\ufeffa\n", "\ufeffb\n"}, "\ufeffb\n", patch.Exact},
		{"fenced", "a\nb\n", []string{"```go\na\n```", "```go\nA\n```"}, "A\nb\n", patch.TrailingSpace},
		{"a fence that is there", "```\na\n```\n", []string{"```\na\n```\n", "```\nA\n```\n"}, "```\nA\n```\n", patch.Exact},
		{"blank line in front that is not there", "x\n  a\n  b\n", []string{"\na\nb\n", "A\nb\n"}, "x\n  A\n  b\n", patch.Indentation},
		{"literal", "a\n", []string{"a", `$& $1 \0`}, "$& $1 \\0\n", patch.Exact},
		{"several, in any order", "a\nb\nc\n", []string{"c", "C", "a", "A"}, "A\nb\nC\n", patch.Exact},
		{"each against the first text", "a\nb\n", []string{"a", "b", "b", "c"}, "b\nc\n", patch.Exact},
		{"what an earlier one wrote", "a\nb\n", []string{"a\n", "x\ny\n", "y\nb\n", "z\nb\n"}, "x\nz\nb\n", patch.Exact},
		{"two in one line", "f(a, b)\n", []string{"a,", "x,", " b", " y"}, "f(x, y)\n", patch.Exact},
		{"an empty file is filled", "", []string{"", "a\n"}, "a\n", patch.Exact},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := replaced(tt.text, tt.pairs...)
			require.NoError(t, err)
			require.Equal(t, tt.want, got.After)
			level := patch.Exact
			for _, m := range got.Matches {
				level = max(level, m.Level)
			}
			require.Equal(t, tt.level, level)
		})
	}
}

func TestFromReplacements_Refuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		pairs      []string
		kind       string
	}{
		{"nowhere", "a\n", []string{"b", "c"}, "NoMatch"},
		{"twice as a line", "a\n-\na\n", []string{"a", "b"}, "Ambiguous"},
		{"twice in a line", "x aa y\n", []string{"a", "b"}, "Ambiguous"},
		{"overlapping itself", "x aaa\n", []string{"aa", "b"}, "Ambiguous"},
		{"part of a line, not exactly", "f( a )\n", []string{"f(a)", "g()"}, "NoMatch"},
		{"other letters", "hello\n", []string{"Hello", "x"}, "NoMatch"},
		{"replaced inside a line before", "x(ab)\n", []string{"a", "ab"}, "AlreadyApplied"},
		{"replaced before", "a\nc\n", []string{"a\nb\n", "a\nc\n"}, "AlreadyApplied"},
		{"search without indentation, replacement with it", "x\n\n  old()\n", []string{"\nold()", "\n  new()"}, "NoMatch"},
		{"an earlier text, not exactly", "a\nb\n", []string{"a\n", "x \ny\n", "x\ny\n", "z\n"}, "NoMatch"},
		{"overlapping, and then gone", "a\nb\nc\n", []string{"a\nb\n", "A\nB\n", "b\nc\n", "X\nY\n"}, "Overlap"},
		{"file that is there", "a\n", []string{"", "b\n"}, "Exists"},
		{"white space", "a\n\n", []string{" \n", "b"}, "Block"},
		{"nothing at all", "a\n", []string{"", ""}, "Block"},
		{"no change", "a\n", []string{"a", "a"}, "Block"},
		{"nothing", "a\n", nil, "Block"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := replaced(tt.text, tt.pairs...)
			require.Error(t, err)
			require.Equal(t, tt.kind, kindOf(err), "%v", err)
			require.Zero(t, got)
		})
	}
}

func TestFromReplacements_Paths(t *testing.T) {
	t.Parallel()
	_, err := patch.FromReplacements([]patch.Replacement{{Path: "f", Search: "a", Replace: "b"}, {Path: "../f", Search: "a"}})
	var failed *patch.BlockError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 2, failed.Number)
	require.ErrorAs(t, err, new(*patch.PathError))

	p, err := patch.FromReplacements([]patch.Replacement{{Path: "./f", Search: "a", Replace: "b"}, {Path: "new/f", Replace: "x"}})
	require.NoError(t, err)
	changes, err := match.Resolve(p, memory{"f": "a\n"})
	require.NoError(t, err)
	require.Equal(t, memory{"f": "b\n", "new/f": "x"}, memory{"f": "a\n"}.apply(changes))
}

// Replacing a piece of a text that stands there once is what cutting the text there would be, but for
// the final line end, which stays as it is.
func TestFromReplacements_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[ab]{1,3} ?[cd]{1,3}`), 1, 8).Draw(t, "lines")
		text := strings.Join(lines, "\n") + "\n"
		from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(text)).Draw(t, "to")
		search, with := text[from:to], rapid.StringMatching(`[xyz]{1,3}(\n[xyz])?`).Draw(t, "with")
		if strings.HasSuffix(search, "\n") {
			with += "\n"
		}
		got, err := replaced(text, search, with)
		if err != nil {
			require.Contains(t, []string{"Ambiguous", "Block", "NoMatch"}, kindOf(err))
			require.True(t, places(text, search) != 1 || strings.TrimSpace(search) == "", "%v", err)
			return
		}
		if places(text, search) == 1 {
			require.Equal(t, text[:from]+with+text[to:], got.After)
		}
	})
}

// places counts where a text stands, overlapping places too.
func places(text, part string) int {
	n := 0
	for i := range text {
		if strings.HasPrefix(text[i:], part) {
			n++
		}
	}
	return n
}

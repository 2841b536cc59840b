package match_test

import (
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
)

// one resolves hunks on a single file.
func one(text string, lines ...string) (patch.FileChange, error) {
	changes, err := resolve(block(append([]string{"*** Update File: f"}, lines...)...), memory{"f": text})
	if err != nil {
		return patch.FileChange{}, err
	}
	return changes.Files[0], nil
}

func TestResolve_ReportsTheLevel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		hunk       []string
		want       string
		match      patch.Match
	}{
		{"exact", "x\na \n", []string{"@@", "-a ", "+b"}, "x\nb\n", patch.Match{Level: patch.Exact, Line: 2}},
		{"trailing space in the file", "x\na \t\n", []string{"@@", "-a", "+b"}, "x\nb\n", patch.Match{Level: patch.TrailingSpace, Line: 2}},
		{"trailing space in the patch", "a\n", []string{"@@", "-a  ", "+b  "}, "b  \n", patch.Match{Level: patch.TrailingSpace, Line: 1}},
		{"quotes", "s := “a”\n", []string{"@@", "-s := \"a\"", "+s := 'b'"}, "s := 'b'\n", patch.Match{Level: patch.Unicode, Line: 1}},
		{"quotes in the patch", "it's\n", []string{"@@", "-it’s", "+it’ll"}, "it’ll\n", patch.Match{Level: patch.Unicode, Line: 1}},
		{"dashes and spaces", "a\u00a0— b\n", []string{"@@", "-a - b", "+c"}, "c\n", patch.Match{Level: patch.Unicode, Line: 1}},
		{"more indentation", "\t\ta\n\t\t\tb\n", []string{"@@", " a", "-\tb", "+\tc", "+\t\td"}, "\t\ta\n\t\t\tc\n\t\t\t\td\n", patch.Match{Level: patch.Indentation, Line: 1}},
		{"brackets and a word at another depth", "\t\ta)\n\t}\n", []string{"@@", " \ta)", " }", "+x"}, "\t\ta)\n\t}\n\tx\n", patch.Match{Level: patch.Indentation, Line: 1}},
		{"less indentation", "a\n\tb\n", []string{"@@", " \t\ta", "-\t\t\tb", "+\t\tc"}, "a\nc\n", patch.Match{Level: patch.Indentation, Line: 1}},
		{"spaces for tabs", "\ta\n\t\tb\n", []string{"@@", "   a", "-    b", "+    c", "+      d"}, "\ta\n\t\tc\n\t\t\td\n", patch.Match{Level: patch.Indentation, Line: 1}},
		{"tabs for spaces", "  a\n    b\n", []string{"@@", " \ta", "-\t\tb", "+\t\tc", "+\t\t\td"}, "  a\n    c\n      d\n", patch.Match{Level: patch.Indentation, Line: 1}},
		{"a blank line behind the hunk is layout", "a\nb\n", []string{"@@", "-a", "+c", ""}, "c\nb\n", patch.Match{Level: patch.TrailingSpace, Line: 1}},
		{"at the end", "a\n", []string{"@@", "+b"}, "a\nb\n", patch.Match{Level: patch.Exact, Line: 2}},
		{"an empty file", "", []string{"@@", "+b"}, "b\n", patch.Match{Level: patch.Exact, Line: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := one(tt.text, tt.hunk...)
			require.NoError(t, err)
			require.Equal(t, tt.want, got.After)
			require.Empty(t, cmp.Diff([]patch.Match{tt.match}, got.Matches))
		})
	}
}

func TestResolve_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		hunk       []string
		kind       string
	}{
		{"similar is not equal", "return total\n", []string{"@@", "-return totals", "+return 0"}, "NoMatch"},
		{"another letter case", "Return\n", []string{"@@", "-return", "+x"}, "NoMatch"},
		{"removed line wrong, context right", "a\nb\nc\n", []string{"@@", " a", "-B", "+x", " c"}, "NoMatch"},
		{"context wrong, removed line right", "a\nb\nc\n", []string{"@@", " A", "-b", "+x"}, "NoMatch"},
		{"hunk longer than the file", "a\n", []string{"@@", "-a", "-b"}, "NoMatch"},
		{"two places at a lower level", "a \n-\na\t\n", []string{"@@", "-a", "+b"}, "Ambiguous"},
		{"brackets at another depth", "\t\t)\n\t}\n", []string{"@@", " \t)", " }", "+x"}, "NoMatch"},
		{"two places at the last level", "\ta\n-\n\t\ta\n", []string{"@@", "-a", "+b"}, "Ambiguous"},
		{"header without a line does not help", "a\n-\na\n", []string{"@@ nowhere", "-a", "+b"}, "Ambiguous"},
		{"header over both places", "h\n a\n a\n", []string{"@@ h", "- a", "+b"}, "Ambiguous"},
		{"header behind both places", "a\na\nh\n", []string{"@@ h", "-a", "+b"}, "Ambiguous"},
		{"header before several places that are not exact", "h\n-\na \n-\na \n", []string{"@@ h", "-a", "+b"}, "Ambiguous"},
		{"two such headers before several places", "h\n-\nh\n-\na\n-\na\n", []string{"@@ h", "-a", "+b"}, "Ambiguous"},
		{"order leaves two places that are not exact", "x\na \na \ny\n", []string{"@@", "-x", "+X", "@@", "-a", "+b", "@@", "-y", "+Y"}, "Ambiguous"},
		{"order leaves two places, and a header names no line", "x\na\na\ny\n", []string{"@@", "-x", "+X", "@@ h", "-a", "+b"}, "Ambiguous"},
		{"several places before the first hunk that has one", "a\na\ny\n", []string{"@@", "-a", "+b", "@@", "-y", "+Y"}, "Ambiguous"},
		{"two places in the block that say little", "h\n\ta\n\tb\n\ta\n\tb\n", []string{"@@ h", " \ta", "-\tb", "+\tc"}, "Ambiguous"},
		{"three places in the block", "h\n" + strings.Repeat("\ta\n\tb\n\tc\n", 3), []string{"@@ h", " \ta", " \tb", "-\tc", "+\td"}, "Ambiguous"},
		{"two places behind the hunk before that say little", "x\na\na\n", []string{"@@", "-x", "+X", "@@", "-a", "+b"}, "Ambiguous"},
		{"two places in the block of the hunk before", "f\n\tx\n\ta\n\ta\ng\n\ta\n", []string{"@@", "-\tx", "+\tX", "@@", "-\ta", "+\tb"}, "Ambiguous"},
		{"two places in the block that are not exact", "h\n\ta \n\tb\n\tc\n\ta \n\tb\n\tc\n", []string{"@@ h", " \ta", " \tb", "-\tc", "+\td"}, "Ambiguous"},
		{"several places in the block at the next rung", "a\nh\n\ta \n\ta \nk\n\ta\nl\n\ta\n", []string{"@@ h", "-\ta", "+\tb"}, "Ambiguous"},
		{"order of hunks that are not in order", "a\nx\ny\na\n", []string{"@@", "-y", "+Y", "@@", "-a", "+b", "@@", "-x", "+X"}, "Ambiguous"},
		{"neighbours that are not in order", "x\na\nz\na\ny\n", []string{"@@", "-y", "+Y", "@@", "-x", "+X", "@@", "-a", "+b", "@@", "-z", "+Z"}, "Ambiguous"},
		{"inner header only above the outer one", "class A\n def f\n  x\nclass B\n y\n", []string{"@@ class B", "@@  def f", "-  x", "+  z"}, "NoMatch"},
		{"hunks in another order, each in two places", "a\nb\n-\na\nb\n", []string{"@@", "-b", "+B", "@@", "-a", "+A"}, "Ambiguous"},
		{"equal hunks below headers that leave each two places", "g\n a\n a\nh\n a\n a\n", []string{"@@ g", "- a", "+ b", "@@ h", "- a", "+ b"}, "Ambiguous"},
		{"hunks in order, each in two places", "a\nb\n-\na\nb\n", []string{"@@", "-a", "+A", "@@", "-b", "+B"}, "Ambiguous"},
		{"two equal hunks for three places", "a\n-\na\n-\na\n", []string{"@@", "-a", "+A", "@@", "-a", "+B"}, "Ambiguous"},
		{"removal at the begin, the rest is there", "a\nc\n", []string{"@@", "-b", " c"}, "NoMatch"},
		{"same addition twice", "a\nb\n", []string{"@@", " a", "+x", "@@", " a", "+x"}, "Overlap"},
		{"two additions at one place", "a\nb\n", []string{"@@", " a", "+x", "@@", "+y", " b"}, "Overlap"},
		{"two additions at the end", "a\n", []string{"@@", "+x", "@@", "+x"}, "Overlap"},
		{"removed twice", "a\nb\nc\n", []string{"@@", "-a", "-b", "@@", "-b", "-c"}, "Overlap"},
		{"context removed elsewhere", "a\nb\nc\n", []string{"@@", " a", "-b", "@@", "-a", "+x"}, "Overlap"},
		{"added line cannot lose indentation", "a\n", []string{"@@", "-\ta", "+b"}, "NoMatch"},
		{"inserted before its context", "x\na\n", []string{"@@", "+x", " a"}, "AlreadyApplied"},
		{"removed already", "a\nc\n", []string{"@@", " a", "-b", " c"}, "AlreadyApplied"},
		{"NUL", "a\x00\n", []string{"@@", "-a", "+b"}, "Text"},
		{"invalid UTF-8", "a\n\xff\n", []string{"@@", "-a", "+b"}, "Text"},
		{"invalid UTF-8 added", "a\n", []string{"@@", "-a", "+\xff"}, "Text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := one(tt.text, tt.hunk...)
			require.Error(t, err)
			require.Equal(t, tt.kind, kindOf(err), "%v", err)
			require.Zero(t, got)
		})
	}
}

// The context that decides between the places of the table above: the negative twins.
func TestResolve_BreaksTies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		hunk       []string
		want       string
	}{
		{"one place, header elsewhere", "a\nh\n", []string{"@@ h", "-a", "+b"}, "b\nh\n"},
		{"header is the begin of its line", "f(x) {\n a\n}\ng(x) {\n a\n}\n", []string{"@@ g", "- a", "+ b"}, "f(x) {\n a\n}\ng(x) {\n b\n}\n"},
		{"header is the begin of a longer word", "fu:\n a\nfun:\n a\n", []string{"@@ fu", "- a", "+ b"}, "fu:\n b\nfun:\n a\n"},
		{"header in the hunk itself", "a\nh\nx\na\nk\n", []string{"@@ h", " a", "-h", "+H"}, "a\nH\nx\na\nk\n"},
		{"closing line of the header's block", "f {\n x\n}\n\ng {\n y\n}\n\nz\n", []string{"@@ g {", " }", " ", "+new"}, "f {\n x\n}\n\ng {\n y\n}\n\nnew\nz\n"},
		{"head over several lines", "f(\n\tx,\n) {\n\ta\n}\ng(\n\tx,\n) {\n\ta\n}\nh\n\ta\n", []string{"@@ g(", "-\ta", "+\tb"}, "f(\n\tx,\n) {\n\ta\n}\ng(\n\tx,\n) {\n\tb\n}\nh\n\ta\n"},
		{"first of several exact places behind the header", "a\nh\nx\na\nx\na\n", []string{"@@ h", "-a", "+b"}, "a\nh\nx\nb\nx\na\n"},
		{"behind the header, in no block", "a\nh\nx\na\n", []string{"@@ h", "-a", "+b"}, "a\nh\nx\nb\n"},
		{"between two hunks", "a\nx\na\ny\na\n", []string{"@@", "-x", "+X", "@@", "-a", "+b", "@@", "-y", "+Y"}, "a\nX\nb\nY\na\n"},
		{"first of two behind the hunk before", "x\n" + strings.Repeat("a\nb\nc\n", 2), []string{"@@", "-x", "+X", "@@", " a", " b", "-c", "+d"}, "X\na\nb\nd\na\nb\nc\n"},
		{"in the block of the hunk before", "f\n\tx\n\ta\ng\n\ta\n", []string{"@@", "-\tx", "+\tX", "@@", "-\ta", "+\tb"}, "f\n\tX\n\tb\ng\n\ta\n"},
		{"first of two in the block of the header", "h\n\ta\n\tb\n\tc\n\ta\n\tb\n\tc\n", []string{"@@ h", " \ta", " \tb", "-\tc", "+\td"}, "h\n\ta\n\tb\n\td\n\ta\n\tb\n\tc\n"},
		{"in the block of the header with a space at the end", "h\n\ta \nk\n\ta\nl\n\ta\n", []string{"@@ h", "-\ta", "+\tb"}, "h\n\tb\nk\n\ta\nl\n\ta\n"},
		{"end of file", "a\na\n", []string{"@@", "-a", "+b", "*** End of File"}, "a\nb\n"},
		{"inserting a blank line beside one", "a\n\nb\n", []string{"@@", " a", "+"}, "a\n\n\nb\n"},
		{"inserting a line that stands elsewhere", "b\na\n", []string{"@@", " a", "+b"}, "b\na\nb\n"},
		{"inserting before a replaced line", "a\nb\n", []string{"@@", "-b", "+B", "@@", " a", "+x"}, "a\nx\nB\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := one(tt.text, tt.hunk...)
			require.NoError(t, err)
			require.Equal(t, tt.want, got.After)
		})
	}
}

func TestResolve_KeepsHowAFileIsStored(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"line feeds", "a\nx\nb\n", "a\ny\nz\nb\n"},
		{"carriage returns and line feeds", "a\r\nx\r\nb\r\n", "a\r\ny\r\nz\r\nb\r\n"},
		{"lone carriage returns", "a\rx\rb\r", "a\ry\rz\rb\r"},
		{"mixed, kept where kept", "a\r\nx\nb\n", "a\r\ny\nz\nb\n"},
		{"byte order mark", "\ufeffa\nx\nb\n", "\ufeffa\ny\nz\nb\n"},
		{"byte order mark at the hunk", "\ufeffx\n", "\ufeffy\nz\n"},
		{"no final line end", "a\nx", "a\ny\nz"},
		{"no final line end, one line", "x", "y\nz"},
		{"a line separator is no line end", "a\u2028x\nx\n", "a\u2028x\ny\nz\n"},
		{"many blank lines at the end", "x\n\n\n", "y\nz\n\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := one(tt.text, "@@", "-x", "+y", "+z")
			require.NoError(t, err)
			require.Equal(t, tt.want, got.After)
		})
	}
}

func TestResolve_OrdersFilesByPath(t *testing.T) {
	t.Parallel()
	got, err := resolve(block("*** Delete File: c", "*** Add File: a", "+a", "*** Update File: b", "@@", "-b", "+B"), memory{"b": "b\n", "c": "c\n"})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Create, Path: "a", After: "a\n"},
		{Kind: patch.Update, Path: "b", Before: "b\n", After: "B\n", Matches: []patch.Match{{Line: 1}}},
		{Kind: patch.Delete, Path: "c", Before: "c\n"},
	}}, got))
}

func TestResolve_PassesReadErrorsOn(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"*** Delete File: f", "*** Add File: f", "*** Update File: g\n*** Move to: f"} {
		_, err := resolve(block(op), memory{"f/x": "x", "g": "g\n"})
		require.ErrorContains(t, err, "is a directory")
	}
}

func TestMissingError_IsNotExist(t *testing.T) {
	t.Parallel()
	_, err := resolve(block("*** Delete File: f"), memory{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestNoMatchError_Helps(t *testing.T) {
	t.Parallel()
	file := "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\tx := \"two\"\n\n\treturn len(x)\n}\n"
	tests := []struct {
		name  string
		hunk  []string
		cause match.Cause
		line  int
		shows string
	}{
		{"stale", []string{"@@", " func two() int {", "-\tx := \"2\"", "+\tx := \"zwei\""}, match.CauseStale, 8, "\n    8 | \tx := \"two\""},
		{"nothing alike", []string{"@@", "-öäüß", "+x"}, match.CauseStale, 0, "Wanted: öäüß"},
		{"one line, misremembered", []string{"@@", "-\treturn len(y)", "+x"}, match.CauseStale, 10, "\n   10 | \treturn len(x)"},
		{"quotes", []string{"@@", " func two() int {", "-\tx := 'two'", "+x"}, match.CauseQuotes, 8, "\n    8 | \tx := \"two\""},
		{"spaces inside a line", []string{"@@", " func two() int {", "-\tx  :=\"two\"", "+x"}, match.CauseSpaces, 8, "\n    8 | \tx := \"two\""},
		{"tabs", []string{"@@", " func two() int {", "-        x := \"two\"", "- ", "-    return len(x)", "+x"}, match.CauseTabs, 8, "\n    8 | \tx := \"two\""},
		{"blank line", []string{"@@", "-\tx := \"two\"", "-\treturn len(x)", "+\treturn 3"}, match.CauseBlank, 9, "\n   10 | \treturn len(x)"},
		{"carriage return", []string{"@@", "-\tx :=\r \"two\"", "+x"}, match.CauseCRLF, 8, "\n    8 | "},
		{"dots", []string{"@@", " func two() int {", "-\t// ... unchanged", "-\treturn len(x)", "+\treturn 3"}, match.CauseElided, 8, "\n    7 | func two()"},
		{"end of file", []string{"@@", "-\treturn 1", "+\treturn 2", "*** End of File"}, match.CauseEndOfFile, 0, "\n    4 | \treturn 1"},
		{"header", []string{"@@ func three() int {", "@@", "-\treturn 1", "+\treturn 2"}, match.CauseHeader, 0, "\n    4 | \treturn 1"},
		{"only additions", []string{"@@ func two() int {", "+\ty()"}, match.CauseNoContext, 0, "\n    7 | func two()"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := one(file, tt.hunk...)
			var failed *match.NoMatchError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, tt.cause, failed.Cause)
			require.Equal(t, tt.line, failed.Line)
			require.Contains(t, err.Error(), tt.shows)
			require.Contains(t, err.Error(), "f: hunk 1 does not match")
			if len(failed.Closest) > 0 {
				lines := strings.Split(file, "\n")
				require.Equal(t, lines[failed.Start-1:failed.Start-1+len(failed.Closest)], failed.Closest)
			}
		})
	}
}

func TestErrors_AreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörter und mehr ", 40)
	var file []string
	hunk := []string{"@@"}
	for i := range 60 {
		line := strings.Repeat("x", i) + long
		file = append(file, line)
		hunk = append(hunk, "-"+line)
	}
	hunk[30] = "-changed " + long
	_, err := one(strings.Join(file, "\n"), hunk...)
	require.Equal(t, "NoMatch", kindOf(err))
	require.LessOrEqual(t, utf8.RuneCountInString(err.Error()), 800)
	require.Contains(t, err.Error(), "\n   30 | ", "the line that differs is shown")

	_, err = one(strings.Repeat("a\n", 500), "@@", "-a", "+b")
	require.Equal(t, "Ambiguous", kindOf(err))
	require.LessOrEqual(t, utf8.RuneCountInString(err.Error()), 800)
	require.Contains(t, err.Error(), "500 places")
	require.Contains(t, err.Error(), "and 490 more")

	path := strings.Repeat("p", 5000)
	for name, text := range map[string]string{path: "a\na\n", "g": ""} {
		_, err = resolve(block("*** Update File: "+path, "@@", "-a", "+b"), memory{name: text})
		require.LessOrEqual(t, utf8.RuneCountInString(err.Error()), 800, "%T", err)
	}
}

func TestErrors_NameTheFix(t *testing.T) {
	t.Parallel()
	files := memory{"f": "a\na\n", "g": "g\n"}
	for _, tt := range []struct{ patch, says string }{
		{block("*** Add File: f", "+x"), "update it instead"},
		{block("*** Update File: g", "*** Move to: f"), "choose another name"},
		{block("*** Update File: h", "@@", "-x"), "check the path"},
		{block("*** Update File: f", "@@", "-a", "+b"), "add context lines"},
		{block("*** Update File: g", "@@", "-g", "@@", "-g"), "write them as one hunk"},
		{block("*** Update File: g", "@@", "-old", "+g"), "leave it out"},
	} {
		_, err := resolve(tt.patch, files)
		require.ErrorContains(t, err, tt.says)
		require.NotContains(t, err.Error(), "patch.", "no names of types")
	}
	require.NotErrorIs(t, match.ErrNoChange, fs.ErrNotExist)
}

// strict are files of which what is below a file, and what is a folder, cannot be read.
type strict struct{ memory }

func (s strict) ReadFile(path string) ([]byte, error) {
	for name := range s.memory {
		if strings.HasPrefix(name, path+"/") || strings.HasPrefix(path, name+"/") {
			return nil, fs.ErrInvalid
		}
	}
	return s.memory.ReadFile(path)
}

func TestResolve_PutsAFolderInThePlaceOfAFileAndBack(t *testing.T) {
	t.Parallel()
	files := strict{memory{"conf": "old\n", "tools/run": "run\n"}}
	made := []string{"*** Add File: conf/main", "+new", "*** Add File: tools", "+tool"}
	_, err := resolve(block(made...), files)
	require.ErrorIs(t, err, fs.ErrInvalid, "the twin: neither makes way")
	changes, err := resolve(block(append(made, "*** Delete File: conf", "*** Delete File: tools/run")...), files)
	require.NoError(t, err)
	require.Len(t, changes.Files, 4)
	whole, err := match.Whole([]match.Entry{
		{Path: "conf/main", Action: patch.ActionCreate, Content: "new\n"}, {Path: "conf", Action: patch.ActionDelete},
		{Path: "tools/run", Action: patch.ActionDelete}, {Path: "tools", Action: patch.ActionWrite, Content: "tool\n"},
	}, files)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(changes, whole))
}

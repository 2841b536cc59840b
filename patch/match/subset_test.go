package match_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/patch"
)

const shop = "func open() {\n\tlock()\n\n\tcount := 0\n\tadd(count)\n\treturn\n}\n\nfunc close() {\n\tlock()\n\n\tcount := 1\n\tsub(count)\n\treturn\n}\n"

func TestContextSubset_Matches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		hunk       []string
		want       string // what the first changed line became
	}{
		{"a context line differs", shop, []string{"@@", " func oepn() {", " \tlock()", " ", "-\tcount := 0", "+\tcount := 2"}, "count := 0|count := 2"},
		{"a line has come between", strings.Replace(shop, "lock()\n\n\tcount := 0", "lock()\n\tlog()\n\n\tcount := 0", 1),
			[]string{"@@", " \tlock()", " ", "-\tcount := 0", "+\tcount := 2", " \tadd(count)"}, "count := 0|count := 2"},
		{"a line is gone", strings.Replace(shop, "\tlock()\n", "", 1), []string{"@@", " func open() {", " \tlock()", " ", "-\tcount := 0", "+\tcount := 2"}, "count := 0|count := 2"},
		{"a blank line more", shop, []string{"@@", " \tlock()", " ", " ", "-\tcount := 0", "+\tcount := 2"}, "count := 0|count := 2"},
		{"a blank line less", shop, []string{"@@", " \tlock()", "-\tcount := 0", "+\tcount := 2"}, "count := 0|count := 2"},
		{"dots", shop, []string{"@@", " func open() {", " ...", "-\tadd(count)", "+\tadd(2)"}, "add(count)|add(2)"},
		{"dots in a comment, behind", shop, []string{"@@", "-\tcount := 0", "+\tcount := 2", " // ... the rest stays ...", " func close() {"}, "count := 0|count := 2"},
		{"dots between two changes", shop, []string{"@@", " \tlock()", "-\tcount := 0", "+\tcount := 2", " ...", " }", " ", "-func close() {", "+func shut() {"}, "count := 0|count := 2"},
		{"trailing space in what goes", strings.Replace(shop, "count := 0", "count := 0  ", 1), []string{"@@", " \tlokc()", " ", "-\tcount := 0", "+\tcount := 2", " \tadd(count)"}, "count := 0  |count := 2"},
		{"only an addition", shop, []string{"@@", " \tlokc()", " ", " \tcount := 1", "+\tcount++", " \tsub(count)"}, "\tcount := 1\n|\tcount := 1\n\tcount++\n"},
		{"only an addition, a blank line more", shop, []string{"@@", " \tcount := 1", " ", "+\tcount++", " \tsub(count)"}, "\tcount := 1\n|\tcount := 1\n\tcount++\n"},
		{"an addition at a gap that ends with a blank line", "a1\na2\n\nb1\nb2\n", []string{"@@", " a1", " a2", "+x", "+", " b1", " b2"}, "b1|x\n\nb1"},
		{"an addition at a gap that begins with a blank line", "a1\na2\n\nb1\nb2\n", []string{"@@", " a1", " a2", "+", "+x", " b1", " b2"}, "a2|a2\n\nx"},
		{"an addition stands below its header", "q\n\tx\n}\n\nfunc f() {\n\tx\n}\n\nfunc g() {\n}\n", []string{"@@ func f() {", " y", " \tx", " }", " ", "+new"}, "func g|new\nfunc g"},
		{"a header decides the place", strings.Replace(shop, "count := 1\n\tsub", "count := 0\n\tadd", 1), []string{"@@ func close() {", " \tlock()", "-\tcount := 0", "+\tcount := 2"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := one(tt.text, tt.hunk...)
			require.NoError(t, err)
			require.Equal(t, patch.ContextSubset, got.Matches[0].Level)
			from, to, _ := strings.Cut(tt.want, "|")
			want := strings.Replace(tt.text, from, to, 1)
			if tt.want == "" {
				at := strings.LastIndex(tt.text, "count := 0")
				want = tt.text[:at] + "count := 2" + tt.text[at+len("count := 0"):]
			}
			if strings.Contains(tt.name, "between two") {
				want = strings.Replace(want, "func close", "func shut", 1)
			}
			require.Equal(t, want, got.After, "nothing but the changed lines changes")
		})
	}
}

// The negative twins: what this rung must not do.
func TestContextSubset_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		hunk       []string
		kind       string
	}{
		{"a removed line differs", shop, []string{"@@", " \tlock()", " ", "-\tcuont := 0", "+\tcount := 2", " \tadd(count)"}, "NoMatch"},
		{"the only context differs", shop, []string{"@@", " \tlokc()", "-\tcount := 0", "+\tcount := 2"}, "NoMatch"},
		{"more differs than agrees", shop, []string{"@@", " \tx()", " \ty()", "-\tcount := 0", "+\tcount := 2", " \tadd(count)"}, "NoMatch"},
		{"two places", shop, []string{"@@", " \tlock()", " \tcount := 7", "-\treturn", "+\tpanic()", " }"}, "NoMatch"},
		{"two places that fit", shop + shop, []string{"@@", " \tlock()", "-\tcount := 0", "+\tcount := 2"}, "Ambiguous"},
		{"an addition where a line has come between", "a1\na2\nnew\nb1\nb2\n", []string{"@@", " a1", " a2", "+x", " b1", " b2"}, "Ambiguous"},
		{"an addition where a blank line has come between", "a1\na2\n\nb1\nb2\n", []string{"@@", " a1", " a2", "+x", " b1", " b2"}, "Ambiguous"},
		{"an addition behind one line that agrees", "a1\na2\nb1\n", []string{"@@", " a1", "+x", " q"}, "NoMatch"},
		{"a header speaks for one place, the context for another", "f\n\tq\n\tx\n\ty\n\ts\n\tt\ng\n\tp\n\tx\n\n\ty\n\ts\n\tt\n", []string{"@@ f", " \tp", " \tx", " \ty", "-\ts", "+\tS", " \tt"}, "Ambiguous"},
		{"two lines differ", "a1\na2\na3\na4\na5\n", []string{"@@", " a1", " q2", "-a3", "+x", " q4", " a5"}, "NoMatch"},
		{"an addition at a gap, with a blank line at both ends", "a1\na2\n\nb1\nb2\n", []string{"@@", " a1", " a2", "+", "+x", "+", " b1", " b2"}, "Ambiguous"},
		{"only brackets agree", "}\nq\n{\n}\nr\n{\n", []string{"@@", " }", " s", "-{", "+("}, "NoMatch"},
		{"context that is indented otherwise", shop, []string{"@@", " func open() {", " lock()", " ", "-\tcount := 0", "+\tcount := 2"}, "NoMatch"},
		{"nothing agrees between two changes", "a\nb\nc\nd\ne\n", []string{"@@", " a", "-b", "+B", " x", "-d", "+D", " e"}, "NoMatch"},
		{"end of file", shop, []string{"@@", " \tlokc()", " ", "-\tcount := 1", "+\tcount := 2", " \tsub(count)", "*** End of File"}, "NoMatch"},
		{"applied before, and drifted", "a1\na2\nx\nb1\nb2\n", []string{"@@", " a1", " q", "+x", " b1", " b2"}, "NoMatch"},
		{"applied before, and drifted on one side", "q1\na2\nx\nb1\nb2\n", []string{"@@", " a1", " a2", "+x", " b1", " b2"}, "NoMatch"},
		{"applied before in part, and drifted", "a1\na2\nx\nb1\nq\nc\nd\n", []string{"@@", " a1", " a2", "+x", " b1", " b2", "-c", "+C", " d"}, "NoMatch"},
		{"many places", strings.Repeat("a\nb\n", 3000), []string{"@@", " a", " c", "-b", "+x", " a"}, "Ambiguous"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := one(tt.text, tt.hunk...)
			require.Equal(t, tt.kind, kindOf(err), "%v %v", err, got)
			require.Zero(t, got)
		})
	}
}

// Whatever happens to one line of context in a file whose lines all differ, the hunk does what it was
// made for, or nothing.
func TestContextSubset_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := edits().Draw(t, "edited")
		rows := strings.Split(e.patch, "\n")
		var context []int
		for i, row := range rows {
			if strings.HasPrefix(row, " ") {
				context = append(context, i)
			}
		}
		at := rapid.SampledFrom(context).Draw(t, "row")
		rows[at] = rapid.SampledFrom([]string{" lime", " ", " ...", rows[at] + "\n ", rows[at] + "\n ...", " \n" + rows[at], rows[at] + " more"}).Draw(t, "instead")
		got, err := resolve(strings.Join(rows, "\n"), memory{"f": e.before})
		if err != nil {
			require.Contains(t, []string{"NoMatch", "Ambiguous", "AlreadyApplied"}, kindOf(err), "%v", err)
			return
		}
		require.Equal(t, e.after, got.Files[0].After)
	})
}

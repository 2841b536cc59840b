package patch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestMerge_OfTwoSides(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, base, ours, theirs, want string
		conflicts                      []patch.Conflict
	}{
		{"nothing", "a\n", "a\n", "a\n", "a\n", nil},
		{"only ours", "a\nb\n", "A\nb\n", "a\nb\n", "A\nb\n", nil},
		{"only theirs", "a\nb\n", "a\nb\n", "a\nB\n", "a\nB\n", nil},
		{"the same", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n", nil},
		{"the same addition", "a\n", "a\nx\n", "a\nx\n", "a\nx\n", nil},
		{"one line between", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n", nil},
		{"addition and deletion apart", "a\nb\nc\nd\n", "x\na\nb\nc\nd\n", "a\nb\nd\n", "x\na\nb\nd\n", nil},
		{"several on each side", "1\n2\n3\n4\n5\n6\n7\n", "1\nII\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\nIV\n5\nVI\n7\n", "1\nII\n3\nIV\n5\nVI\n7\n8\n", nil},
		{"line ends are kept", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC", "A\r\nb\r\nC", nil},
		{"from nothing, the same", "", "a", "a", "a", nil},
		{"same line", "a\nb\nc\n", "a\nO\nc\n", "a\nT\nc\n", "a\nO\nc\n",
			[]patch.Conflict{{StartLine: 2, EndLine: 3, Base: "b\n", Ours: "O\n", Theirs: "T\n"}}},
		{"touching lines", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", "A\nb\nc\n",
			[]patch.Conflict{{StartLine: 1, EndLine: 3, Base: "a\nb\n", Ours: "A\nb\n", Theirs: "a\nB\n"}}},
		{"two additions at one place", "a\nb\n", "a\nO\nb\n", "a\nT\nb\n", "a\nO\nb\n",
			[]patch.Conflict{{StartLine: 2, EndLine: 2, Ours: "O\n", Theirs: "T\n"}}},
		{"changed and deleted", "a\nb\nc\n", "a\nB\nc\n", "a\nc\n", "a\nB\nc\n",
			[]patch.Conflict{{StartLine: 2, EndLine: 3, Base: "b\n", Ours: "B\n"}}},
		{"deleted and changed", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "a\nc\n",
			[]patch.Conflict{{StartLine: 2, EndLine: 3, Base: "b\n", Theirs: "B\n"}}},
		{"a conflict and a clean change", "a\nb\nc\nd\n", "O\nb\nc\nd\n", "T\nb\nc\nD\n", "O\nb\nc\nD\n",
			[]patch.Conflict{{StartLine: 1, EndLine: 2, Base: "a\n", Ours: "O\n", Theirs: "T\n"}}},
		{"a long change over two short ones", "1\n2\n3\n4\n5\n", "1\no\no\no\n5\n", "1\nt\n3\nt\n5\n", "1\no\no\no\n5\n",
			[]patch.Conflict{{StartLine: 2, EndLine: 5, Base: "2\n3\n4\n", Ours: "o\no\no\n", Theirs: "t\n3\nt\n"}}},
		{"behind a last line without end", "a", "a\nO", "a\nT", "a\nO",
			[]patch.Conflict{{StartLine: 1, EndLine: 2, Base: "a", Ours: "a\nO", Theirs: "a\nT"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, conflicts := patch.Merge(tt.base, tt.ours, tt.theirs)
			require.Equal(t, tt.want, got)
			require.Empty(t, cmp.Diff(tt.conflicts, conflicts))
		})
	}
}

package treesitter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestSplitTree_GivesOneImportForEachName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, separator, want string }{
		{"one name", "std::fmt", "::", "std::fmt"},
		{"another name for it", "std::fmt::Result as FmtResult", "::", "std::fmt::Result"},
		{"several", "a::{b, c}", "::", "a::b a::c"},
		{"several in several", "a::{self, b::{c, d as e}, f::*}", "::", "a a::b::c a::b::d a::f::*"},
		{"over lines", "a::{\n    b,\n    c,\n}", "::", "a::b a::c"},
		{"of Scala", "a.{B => C, _}", ".", "a.B a._"},
		{"without end", "a::{b, c", "::", "a::b a::c"},
		{"without start", "a}, b", "::", "a b"},
		{"nothing", "", "::", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, i := range splitTree(codeintel.Import{Path: test.text}, test.separator) {
				got = append(got, i.Path)
			}
			require.Equal(t, test.want, strings.Join(got, " "))
		})
	}
}

func TestSplitTree_IsBounded(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(splitTree(codeintel.Import{Path: strings.Repeat("a,", 100_000)}, "::")), maxTree)
	require.LessOrEqual(t, len(splitTree(codeintel.Import{Path: strings.Repeat("a::{b,", 100_000)}, "::")), maxTree)
}
